#include "processor/location.h"

#include <gtest/gtest.h>

namespace hmsync::processor {
namespace {

struct Case {
  const char* raw;
  Location parts;
  const char* text;
};

const Case kCases[] = {
    // scheme and authority
    {"hdfs://nn1:8020/a/b", {"hdfs", "nn1:8020", "/a/b"}, "hdfs://nn1:8020/a/b"},
    {"HDFS://NN1.Example.COM:8020/UpperCase",
     {"hdfs", "NN1.Example.COM:8020", "/UpperCase"},
     "hdfs://NN1.Example.COM:8020/UpperCase"},
    {"abfss://cont@acct.dfs.core.windows.net/p",
     {"abfss", "cont@acct.dfs.core.windows.net", "/p"},
     "abfss://cont@acct.dfs.core.windows.net/p"},
    {"file:/x", {"file", "", "/x"}, "file:/x"},
    {"file:///x", {"file", "", "/x"}, "file:/x"},
    {"file:////x", {"file", "", "/x"}, "file:/x"},
    {"hdfs:///noauth/x", {"hdfs", "", "/noauth/x"}, "hdfs:/noauth/x"},
    {"/schemeless/x", {"", "", "/schemeless/x"}, "/schemeless/x"},
    {"///x", {"", "", "/x"}, "/x"},
    {"//host/x", {"", "host", "/x"}, "//host/x"},
    // slashes
    {"hdfs://nn1:8020//double//slash",
     {"hdfs", "nn1:8020", "/double/slash"},
     "hdfs://nn1:8020/double/slash"},
    {"hdfs://nn1:8020/trailing/slash/",
     {"hdfs", "nn1:8020", "/trailing/slash"},
     "hdfs://nn1:8020/trailing/slash"},
    {"hdfs://nn1/a///", {"hdfs", "nn1", "/a"}, "hdfs://nn1/a"},
    // roots keep theirs
    {"s3a://b/", {"s3a", "b", "/"}, "s3a://b/"},
    {"s3a://b", {"s3a", "b", "/"}, "s3a://b/"},
    {"s3a://b///", {"s3a", "b", "/"}, "s3a://b/"},
    {"/", {"", "", "/"}, "/"},
    {"//", {"", "", "/"}, "/"},
    {"file:/", {"file", "", "/"}, "file:/"},
    {"file:///", {"file", "", "/"}, "file:/"},
    // dots
    {"hdfs://nn1:8020/a/../b/./c", {"hdfs", "nn1:8020", "/b/c"}, "hdfs://nn1:8020/b/c"},
    {"/foo/bar/..", {"", "", "/foo"}, "/foo"},
    {"/foo/bar/.", {"", "", "/foo/bar"}, "/foo/bar"},
    {"/foo/bar/baz/.././../..", {"", "", "/"}, "/"},
    {"/..", {"", "", "/.."}, "/.."},
    {"/../a", {"", "", "/../a"}, "/../a"},
    {"hdfs://nn/a/../../b", {"hdfs", "nn", "/../b"}, "hdfs://nn/../b"},
    {"/a/..b/...", {"", "", "/a/..b/..."}, "/a/..b/..."},
    // nothing is decoded or treated as a query
    {"hdfs://nn/t/ts=10%3A00", {"hdfs", "nn", "/t/ts=10%3A00"}, "hdfs://nn/t/ts=10%3A00"},
    {"hdfs://nn/a%2Fb%2f%25", {"hdfs", "nn", "/a%2Fb%2f%25"}, "hdfs://nn/a%2Fb%2f%25"},
    {"hdfs://nn/hash#frag?q=1", {"hdfs", "nn", "/hash#frag?q=1"}, "hdfs://nn/hash#frag?q=1"},
    {"s3a://b/Key With Space/größe/😀",
     {"s3a", "b", "/Key With Space/größe/😀"},
     "s3a://b/Key With Space/größe/😀"},
    {"hdfs://nn/a:b/c:/d", {"hdfs", "nn", "/a:b/c:/d"}, "hdfs://nn/a:b/c:/d"},
    // relative ones, and colons that end no scheme
    {"a/b/", {"", "", "a/b"}, "a/b"},
    {"a/../../b", {"", "", "../b"}, "../b"},
    {".", {"", "", "."}, "."},
    {"a/..", {"", "", "."}, "."},
    {"a:b", {"", "", "a:b"}, "a:b"},
    {"hdfs:", {"", "", "hdfs:"}, "hdfs:"},
    {":/x", {"", "", ":/x"}, ":/x"},
    {"1a:/x", {"", "", "1a:/x"}, "1a:/x"},
    {"./a:/b", {"", "", "./a:/b"}, "./a:/b"},
    {"/a:/b", {"", "", "/a:/b"}, "/a:/b"},
    {" ", {"", "", " "}, " "},
};

std::string describe(const Location& location) {
  return "[" + location.scheme + "][" + location.authority + "][" + location.path + "]";
}

TEST(Location, IsSplitAndWrittenAsHadoopsPathWould) {
  for (const Case& c : kCases) {
    const std::optional<Location> location = normalize_location(c.raw);
    ASSERT_TRUE(location) << c.raw;
    EXPECT_EQ(describe(*location), describe(c.parts)) << c.raw;
    EXPECT_EQ(to_string(*location), c.text) << c.raw;
  }
}

TEST(Location, ThatIsNormalStaysAsItIs) {
  for (const Case& c : kCases) {
    const std::optional<Location> again = normalize_location(c.text);
    ASSERT_TRUE(again) << c.text;
    EXPECT_EQ(describe(*again), describe(c.parts)) << c.text;
  }
}

TEST(Location, OfAnEmptyTextIsNone) { EXPECT_FALSE(normalize_location("")); }

TEST(Location, OfAnyLengthIsTaken) {
  const std::string segment(100'000, 's');
  std::string raw = "hdfs://nn";
  std::string ups;
  for (int i = 0; i < 100; ++i) {
    raw += "//" + segment;
    ups += "/..";
  }
  EXPECT_EQ(to_string(*normalize_location(raw + ups)), "hdfs://nn/");
  EXPECT_EQ(normalize_location(raw)->path.size(), 100U * 100'001U);
}

}  // namespace
}  // namespace hmsync::processor
