#include "hmsclient/endpoint.h"

#include <gmock/gmock.h>

#include "processor/error.h"

namespace hmsync::hmsclient {
namespace {

TEST(Endpoint, HostAndPortAreReadFromAUri) {
  const Endpoint endpoint = parse_uri("thrift://hms.example.org:9083");
  EXPECT_EQ(endpoint.host, "hms.example.org");
  EXPECT_EQ(endpoint.port, 9083);
}

TEST(Endpoint, AnIpv6AddressLosesItsBrackets) {
  const Endpoint endpoint = parse_uri("thrift://[2001:db8::1]:65535");
  EXPECT_EQ(endpoint.host, "2001:db8::1");
  EXPECT_EQ(endpoint.port, 65535);
}

TEST(Endpoint, AnythingElseIsRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "does not begin with thrift://"},
      {"http://hms:9083", "does not begin with thrift://"},
      {"hms:9083", "does not begin with thrift://"},
      {"thrift://hms", "has no port"},
      {"thrift://2001:db8::1", "without brackets"},
      {"thrift://[2001:db8::1]", "without brackets"},
      {"thrift://:9083", "has no usable host"},
      {"thrift://user@hms:9083", "has no usable host"},
      {"thrift://hms:0", "between 1 and 65535"},
      {"thrift://hms:65536", "between 1 and 65535"},
      {"thrift://hms:9083/", "between 1 and 65535"},
      {"thrift://hms:-1", "between 1 and 65535"},
      {"thrift://hms:", "between 1 and 65535"},
  };
  for (const auto& [uri, why] : cases) {
    try {
      parse_uri(uri);
      ADD_FAILURE() << uri << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::fatal) << uri;
      EXPECT_THAT(error.what(), testing::HasSubstr(why)) << uri;
    }
  }
}

}  // namespace
}  // namespace hmsync::hmsclient
