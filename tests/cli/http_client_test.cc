// The HTTP client: addresses, encoding, patience, and https.
#include "cli/http_client.h"

#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <future>

#include "tests/cli/scripted_server.h"

namespace hmsync::cli {
namespace {

TEST(UrlTest, SchemeHostAndPortAreNeeded) {
  const auto url = parse_url("https://db.example:9180/");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->https);
  EXPECT_EQ(url->host, "db.example");
  EXPECT_EQ(url->port, 9180);
  EXPECT_EQ(parse_url("http://[::1]:1")->host, "::1");
  EXPECT_FALSE(parse_url("http://127.0.0.1:1")->https);
  for (const char* text : {"", "127.0.0.1:1", "ftp://h:1", "http://", "http://h", "http://:1",
                           "http://h:0", "http://h:65536", "http://h:x", "http://h:1/path",
                           "http://u@h:1", "http://::1:1", "http://[x]:1", "http://a b:1"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(UrlTest, EverythingDoubtfulIsPercentEncoded) {
  EXPECT_EQ(percent_encode("aZ0-._~"), "aZ0-._~");
  EXPECT_EQ(percent_encode("a/b c%&=+#?é\n"), "a%2Fb%20c%25%26%3D%2B%23%3F%C3%A9%0A");
  EXPECT_EQ(target("/v1/x", {{"a", "1 2"}, {"b", std::nullopt}, {"c", ""}}), "/v1/x?a=1%202&c=");
  EXPECT_EQ(target("/v1/x", {}), "/v1/x");
}

TEST(HttpClientTest, ASilentServerIsGivenUpAfterThePatience) {
  std::promise<void> release;
  ScriptedServer server([&](const SeenRequest&) {
    release.get_future().wait();
    return Reply{};
  });
  const HttpClient client({.https = false, .host = "127.0.0.1", .port = server.port()}, "");
  try {
    client.send({.target = "/", .patience = std::chrono::milliseconds(50)});
    ADD_FAILURE() << "answered";
  } catch (const Unreachable& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no answer in time"));
  }
  release.set_value();
}

TEST(HttpClientTest, TheHostHeaderNamesHostAndPort) {
  ScriptedServer server([](const SeenRequest&) { return Reply{}; });
  const HttpClient client({.https = false, .host = "127.0.0.1", .port = server.port()}, "");
  client.send({.target = "/"});
  EXPECT_EQ(server.seen().at(0).host, "127.0.0.1:" + std::to_string(server.port()));
}

/// A server's certificate for this name, signed by itself.
class Certificate {
 public:
  explicit Certificate(const std::string& subject_alternative_name)
      : key_(EVP_EC_gen("P-256"), &EVP_PKEY_free), certificate_(X509_new(), &X509_free) {
    X509* x = certificate_.get();
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -60);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key_.get());
    X509_NAME* name = X509_get_subject_name(x);
    const unsigned char text[] = "test";
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(x, name);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name,
                                                    subject_alternative_name.c_str());
    X509_add_ext(x, extension, -1);
    X509_EXTENSION_free(extension);
    X509_sign(x, key_.get(), EVP_sha256());
  }

  void use(boost::asio::ssl::context& context) const {
    SSL_CTX_use_certificate(context.native_handle(), certificate_.get());
    SSL_CTX_use_PrivateKey(context.native_handle(), key_.get());
  }

  void write(const std::filesystem::path& file) const {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "w"),
                                                        &std::fclose);
    PEM_write_X509(out.get(), certificate_.get());
  }

 private:
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
  std::unique_ptr<X509, decltype(&X509_free)> certificate_;
};

class HttpsTest : public testing::Test {
 protected:
  HttpsTest() : file_(testing::TempDir() + "https-" + std::to_string(getpid()) + ".pem") {}
  ~HttpsTest() override { std::filesystem::remove(file_); }

  /// Asks a server with this certificate, trusting what is in file_ (or the system).
  HttpResponse ask(const Certificate& certificate, bool trusted) {
    boost::asio::ssl::context tls(boost::asio::ssl::context::tls_server);
    certificate.use(tls);
    ScriptedServer server([](const SeenRequest&) { return Reply{.body = "{}"}; }, &tls);
    const HttpClient client({.https = true, .host = "127.0.0.1", .port = server.port()},
                            trusted ? file_.string() : "");
    return client.send({.target = "/"});
  }

  std::filesystem::path file_;
};

TEST_F(HttpsTest, ACertificateThatTheFileVouchesForIsAccepted) {
  const Certificate certificate("IP:127.0.0.1");
  certificate.write(file_);
  EXPECT_EQ(ask(certificate, true).body, "{}");
}

TEST_F(HttpsTest, AnotherNameOrAnUnknownIssuerIsRefused) {
  const Certificate other_name("DNS:other.example");
  other_name.write(file_);
  EXPECT_THROW(ask(other_name, true), Unreachable);
  const Certificate right_name("IP:127.0.0.1");
  EXPECT_THROW(ask(right_name, true), Unreachable);
  EXPECT_THROW(ask(right_name, false), Unreachable);
}

TEST_F(HttpsTest, AMissingFileIsToldByName) {
  const Certificate certificate("IP:127.0.0.1");
  try {
    ask(certificate, true);
    ADD_FAILURE() << "accepted";
  } catch (const Unreachable& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(file_.string()));
  }
}

}  // namespace
}  // namespace hmsync::cli
