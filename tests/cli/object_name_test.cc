// How a privilege's object is written.
#include "cli/object_name.h"

#include <gmock/gmock.h>

namespace hmsync::cli {
namespace {

using testing::HasSubstr;

ObjectName parsed(const std::string& text, const ObjectOptions& options = {}) {
  const auto result = parse_object(text, options);
  if (const auto* wrong = std::get_if<std::string>(&result))
    ADD_FAILURE() << text << ": " << *wrong;
  const auto* name = std::get_if<ObjectName>(&result);
  return name == nullptr ? ObjectName{} : *name;
}

std::string wrong(const std::string& text, const ObjectOptions& options = {}) {
  const auto result = parse_object(text, options);
  const auto* reason = std::get_if<std::string>(&result);
  return reason == nullptr ? "accepted" : *reason;
}

TEST(ObjectNameTest, DotsSeparateDatabaseTableAndColumn) {
  EXPECT_EQ(parsed("db").database, "db");
  EXPECT_EQ(parsed("db").table, std::nullopt);
  const ObjectName column = parsed("db.t.c");
  EXPECT_EQ(column.database, "db");
  EXPECT_EQ(column.table, "t");
  EXPECT_EQ(column.column, "c");
  EXPECT_EQ(column.uri, std::nullopt);
  EXPECT_EQ(parsed("db.t", {.catalog = "spark"}).catalog, "spark");
}

TEST(ObjectNameTest, ServerIsTheWholeServerUnlessADatabaseIsSaidToBeCalledSo) {
  const ObjectName server = parsed("server");
  EXPECT_FALSE(server.catalog || server.database || server.table || server.column || server.uri);
  EXPECT_EQ(parsed("", {.database = "server"}).database, "server");
}

TEST(ObjectNameTest, ASchemeOrALeadingSlashMakesAUri) {
  for (const char* uri : {"hdfs://nn:8020/a.b", "file:/tmp/x", "/warehouse/a.b.c.d", "s3a://b/"}) {
    EXPECT_EQ(parsed(uri).uri, uri);
    EXPECT_EQ(parsed(uri).database, std::nullopt);
  }
}

TEST(ObjectNameTest, OptionsCarryWhatDotsCannot) {
  const ObjectName name =
      parsed("", {.catalog = "c", .database = "a.b", .table = "/t", .column = "x"});
  EXPECT_EQ(name.catalog, "c");
  EXPECT_EQ(name.database, "a.b");
  EXPECT_EQ(name.table, "/t");
  EXPECT_EQ(name.column, "x");
  EXPECT_EQ(parsed("", {.uri = "odd"}).uri, "odd");
}

TEST(ObjectNameTest, WhatIsNoObjectOrTwoIsRefused) {
  EXPECT_THAT(wrong(""), HasSubstr("no object"));
  EXPECT_THAT(wrong("a.b.c.d"), HasSubstr("too many dots"));
  for (const char* text : {".", "a.", ".a", "a..c"}) {
    EXPECT_THAT(wrong(text), HasSubstr("empty part")) << text;
  }
  EXPECT_THAT(wrong("db", {.database = "x"}), HasSubstr("told twice"));
  EXPECT_THAT(wrong("server", {.catalog = "c"}), HasSubstr("--catalog"));
  EXPECT_THAT(wrong("/a", {.catalog = "c"}), HasSubstr("--catalog"));
  EXPECT_THAT(wrong("", {.catalog = "c"}), HasSubstr("--catalog needs --database"));
  EXPECT_THAT(wrong("", {.table = "t"}), HasSubstr("--table needs --database"));
  EXPECT_THAT(wrong("", {.database = "d", .column = "c"}), HasSubstr("--column needs --table"));
  EXPECT_THAT(wrong("", {.database = "d", .uri = "/a"}), HasSubstr("--uri stands alone"));
  EXPECT_THAT(wrong("", {.database = ""}), HasSubstr("empty name"));
}

}  // namespace
}  // namespace hmsync::cli
