#include "processor/gzip_message.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "processor/error.h"

namespace hmsync::processor {
namespace {

constexpr size_t kLimit = size_t{1} << 20;

const std::string kPacked =
    "H4sIAAAAAAACA6tWKk4tKkstUrJSKskoykwrsdLXz8gtNrSyNLAwVtIBy2YmpwYUZeYlZxYk5gDVZWSWper"
    "He/gHhzi4Rjj6Bvi46jn7+wLVpiQBZXMSk4DMkszc1OKSxNwCJStDcwMQMDQwqAUABL6yGm0AAAA=";
const std::string kUnpacked =
    R"({"server":"thrift://hms1:9083","servicePrincipal":"hive/_HOST@EXAMPLE.COM",)"
    R"("db":"lab","timestamp":1700000100})";

std::string base64(const std::string& bytes) {
  const char* alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t at) -> unsigned {
      return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
    };
    const unsigned bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += alphabet[bits >> 18 & 63];
    text += alphabet[bits >> 12 & 63];
    text += i + 1 < bytes.size() ? alphabet[bits >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? alphabet[bits & 63] : '=';
  }
  return text;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string bytes(deflateBound(&stream, text.size()) + 64, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::string failure(const std::string& message, size_t limit = kLimit) {
  try {
    unpack_gzip_message(message, limit);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::poison);
    return error.what();
  }
  return "unpacked";
}

TEST(GzipMessage, OfTheKnownVectorUnpacks) {
  EXPECT_EQ(unpack_gzip_message(kPacked, kLimit), kUnpacked);
}

TEST(GzipMessage, CutAtAnyLengthIsRefused) {
  for (size_t length = 0; length < kPacked.size(); ++length) {
    EXPECT_NE(failure(kPacked.substr(0, length)), "unpacked") << length;
  }
}

TEST(GzipMessage, WithOneByteChangedIsRefusedOrUnpacksTheSame) {
  // A few header bytes (time, operating system) and the unused last bits mean nothing.
  for (size_t at = 0; at < kPacked.size(); ++at) {
    std::string changed = kPacked;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    std::string text;
    try {
      text = unpack_gzip_message(changed, kLimit);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::poison);
      continue;
    }
    EXPECT_EQ(text, kUnpacked) << at;
  }
}

TEST(GzipMessage, ThatIsABombStopsAtTheLimit) {
  const std::string bomb = base64(gzip(std::string(size_t{64} << 20, 'a')));
  EXPECT_LT(bomb.size(), 200'000U);
  EXPECT_EQ(failure(bomb), "the gzip message unpacks to more than 1048576 bytes");
}

TEST(GzipMessage, OfExactlyTheLimitIsTaken) {
  const std::string text(100'000, 'x');
  const std::string packed = base64(gzip(text));
  EXPECT_EQ(unpack_gzip_message(packed, 100'000), text);
  EXPECT_EQ(failure(packed, 99'999), "the gzip message unpacks to more than 99999 bytes");
}

TEST(GzipMessage, WithSomethingAfterItsMemberIsRefused) {
  const std::string member = gzip("{}");
  EXPECT_EQ(failure(base64(member + "x")), "the gzip message has bytes after its end");
  EXPECT_EQ(failure(base64(member + member)), "the gzip message has bytes after its end");
}

TEST(GzipMessage, ThatIsNotBase64IsRefused) {
  EXPECT_EQ(failure("H4sI!AAA"), "the gzip message is not base64");
  EXPECT_EQ(failure("H4sI\nAAA"), "the gzip message is not base64");
  EXPECT_EQ(failure("H4=IAAAA"), "the gzip message is not base64");
  EXPECT_EQ(failure("H4sIAAAAA==="), "the gzip message is not base64");
}

TEST(GzipMessage, ThatIsNotGzipIsRefused) {
  EXPECT_EQ(failure(base64("{\"a\":1}")), "the gzip message is damaged");
}

TEST(GzipMessage, OfNoBytesUnpacksToNothing) {
  EXPECT_EQ(unpack_gzip_message(base64(gzip("")), kLimit), "");
}

}  // namespace
}  // namespace hmsync::processor
