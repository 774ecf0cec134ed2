#include "processor/thrift_json.h"

#include <gtest/gtest.h>

#include "processor/error.h"
#include "processor/thrift_objects.h"

namespace hmsync::processor {
namespace {

std::string failure(std::string_view tjson) {
  try {
    read_table(tjson);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::poison);
    return error.what();
  }
  return "read";
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) {
    result += text;
  }
  return result;
}

TEST(ThriftJson, TableIsReadFieldByField) {
  const TableObject object = read_table(
      R"({"1":{"str":"Orders"},"2":{"str":"SALES"},"3":{"str":"etl"},"4":{"i32":1700000000},)"
      R"("5":{"i32":0},"6":{"i32":0},"7":{"rec":{"1":{"lst":["rec",1,{"1":{"str":"Id"},)"
      R"("2":{"str":"bigint"}}]},"2":{"str":"hdfs://nn1:8020/wh/sales.db/orders"},"5":{"tf":0},)"
      R"("6":{"i32":-1},"8":{"lst":["str",0]},"10":{"map":["str","str",0,{}]}}},)"
      R"("8":{"lst":["rec",1,{"1":{"str":"Ds"},"2":{"str":"string"}}]},)"
      R"("9":{"map":["str","str",1,{"EXTERNAL":"TRUE"}]},"12":{"str":"EXTERNAL_TABLE"},)"
      R"("14":{"tf":0},"17":{"str":"Hive"},"18":{"i32":2},"25":{"i64":7}})");
  EXPECT_EQ(object.table.name, (TableName{"hive", "sales", "orders"}));
  EXPECT_EQ(object.table.owner, (Owner{"etl", OwnerType::role}));
  EXPECT_EQ(object.table.type, "EXTERNAL_TABLE");
  EXPECT_EQ(object.table.location, (Location{"hdfs", "nn1:8020", "/wh/sales.db/orders"}));
  EXPECT_EQ(object.table.columns, std::vector<std::string>{"id"});
  EXPECT_EQ(object.table.partition_keys, std::vector<std::string>{"ds"});
  EXPECT_EQ(object.table.identity, "id:7");
  EXPECT_FALSE(object.translated_to_external);
}

TEST(ThriftJson, MapWithListKeysIsSkipped) {
  const Table table =
      read_table(R"({"7":{"rec":{"11":{"rec":{"1":{"lst":["str",1,"v"]},)"
                 R"("3":{"map":["lst","str",2,{["str",2,"x","y"]:"loc:1",)"
                 R"(["str",1,"]}"]:"loc2"}]}}},"2":{"str":"/t"}}},"1":{"str":"t"}})")
          .table;
  EXPECT_EQ(table.name.table, "t");
  EXPECT_EQ(table.location->path, "/t");
}

TEST(ThriftJson, UnknownFieldsOfAllTypesAreSkipped) {
  const Table table =
      read_table(
          R"({"900":{"tf":1},"901":{"i8":-1},"902":{"i16":2},"903":{"i64":9223372036854775807},)"
          R"("904":{"dbl":1.5e-7},"905":{"dbl":"NaN"},"906":{"str":"\"}\\"},"907":{"rec":{}},)"
          R"("908":{"set":["i32",2,1,2]},"909":{"map":["i32","rec",1,{"1":{"1":{"tf":0}}}]},)"
          R"("1":{"str":"t"}})")
          .table;
  EXPECT_EQ(table.name.table, "t");
}

TEST(ThriftJson, Field15IsNeverTakenForAnOwnerType) {
  EXPECT_EQ(read_table(R"({"15":{"tf":1}})").table.owner.type, OwnerType::user);
  EXPECT_EQ(read_table(R"({"15":{"i32":2}})").table.owner.type, OwnerType::user);
}

TEST(ThriftJson, OwnerTypesAreThriftsPrincipalTypes) {
  EXPECT_EQ(read_table(R"({"18":{"i32":1}})").table.owner.type, OwnerType::user);
  EXPECT_EQ(read_table(R"({"18":{"i32":2}})").table.owner.type, OwnerType::role);
  EXPECT_EQ(read_table(R"({"18":{"i32":3}})").table.owner.type, OwnerType::group);
  EXPECT_EQ(read_table(R"({"18":{"i32":99}})").table.owner.type, OwnerType::user);
  EXPECT_EQ(read_table("{}").table.owner.type, OwnerType::user);
}

TEST(ThriftJson, IdentityIsTheIdElseTheCreationTimeElseNone) {
  EXPECT_EQ(read_table(R"({"4":{"i32":5},"25":{"i64":9}})").table.identity, "id:9");
  EXPECT_EQ(read_table(R"({"4":{"i32":5},"25":{"i64":0}})").table.identity, "created:5");
  EXPECT_EQ(read_table(R"({"4":{"i32":5}})").table.identity, "created:5");
  EXPECT_EQ(read_table(R"({"4":{"i32":0}})").table.identity, "");
  EXPECT_EQ(read_table(R"({"4":{"i32":-3},"25":{"i64":-1}})").table.identity, "");
  EXPECT_EQ(read_database(R"({"9":{"i32":5}})").identity, "created:5");
  EXPECT_EQ(read_database(R"({"9":{"i32":0}})").identity, "");
  EXPECT_EQ(read_database("{}").identity, "");
}

TEST(ThriftJson, TypeIsWhatTheMetastoreStoresByTheParameterExternal) {
  const auto type = [](const std::string& sent, const std::string& parameters) {
    return read_table(R"({"12":{"str":")" + sent + R"("})" + parameters + "}").table.type;
  };
  const std::string external = R"(,"9":{"map":["str","str",1,{"EXTERNAL":"TRUE"}]})";
  const std::string lower_case = R"(,"9":{"map":["str","str",1,{"EXTERNAL":"true"}]})";
  const std::string not_external = R"(,"9":{"map":["str","str",1,{"EXTERNAL":"FALSE"}]})";
  const std::string none = R"(,"9":{"map":["str","str",0,{}]})";
  EXPECT_EQ(type("MANAGED_TABLE", external), "EXTERNAL_TABLE");
  EXPECT_EQ(type("MANAGED_TABLE", lower_case), "EXTERNAL_TABLE");
  EXPECT_EQ(type("MANAGED_TABLE", none), "MANAGED_TABLE");
  EXPECT_EQ(type("EXTERNAL_TABLE", external), "EXTERNAL_TABLE");
  EXPECT_EQ(type("EXTERNAL_TABLE", not_external), "MANAGED_TABLE");
  EXPECT_EQ(type("EXTERNAL_TABLE", none), "MANAGED_TABLE");
  EXPECT_EQ(type("EXTERNAL_TABLE", ""), "EXTERNAL_TABLE");  // parameters not told
  EXPECT_EQ(type("VIRTUAL_VIEW", external), "VIRTUAL_VIEW");
}

TEST(ThriftJson, WhiteSpaceBetweenTokensIsTolerated) {
  const Partition partition = read_partition(
      " {\n \"1\" : { \"lst\" : [ \"str\" , 2 , \" a\" , \"b \" ] } ,\t\"6\" : { \"rec\" : { "
      "\"2\" : { \"str\" : \"/p q\" } } } } \r\n");
  EXPECT_EQ(partition.values, (std::vector<std::string>{" a", "b "}));
  EXPECT_EQ(partition.location->path, "/p q");
}

TEST(ThriftJson, EscapesAreUndone) {
  const Partition partition = read_partition(
      R"({"1":{"lst":["str",3,"q\"b\\s\/","\b\t\n\f\r","\u00e9\u6f22\ud83d\ude00\u0041"]}})");
  EXPECT_EQ(partition.values, (std::vector<std::string>{"q\"b\\s/", "\b\t\n\f\r", "é漢😀A"}));
}

TEST(ThriftJson, TextThatTheStoreCannotHoldIsRefused) {
  EXPECT_EQ(failure(R"({"1":{"str":"a\u0000b"}})"),
            "the table's name contains U+0000, which cannot be stored");
  EXPECT_EQ(failure("{\"3\":{\"str\":\"a\xff\"}}"), "the owner is not valid UTF-8");
  EXPECT_EQ(failure("{\"7\":{\"rec\":{\"2\":{\"str\":\"/\xed\xa0\x80\"}}}}"),
            "the location is not valid UTF-8");
  EXPECT_EQ(failure(R"({"1":{"str":"\ud83d"}})"), "Thrift object: half of a surrogate pair");
  EXPECT_EQ(failure(R"({"1":{"str":"\ude00"}})"), "Thrift object: half of a surrogate pair");
  EXPECT_EQ(failure(R"({"1":{"str":"\ud83d\u0041"}})"), "Thrift object: half of a surrogate pair");
  // in fields that are not stored it does no harm
  EXPECT_EQ(failure(R"({"10":{"str":"a\u0000b\ud83d"}})"), "read");
}

TEST(ThriftJson, NestingIsBounded) {
  EXPECT_EQ(failure(R"({"99":{"rec":)" + repeated("[", 64) + repeated("]", 64) + "}}"), "read");
  const std::string too_deep = "Thrift object: nested deeper than 64 levels";
  EXPECT_EQ(failure(R"({"99":{"rec":)" + repeated("[", 65) + repeated("]", 65) + "}}"), too_deep);
  EXPECT_EQ(failure(R"({"99":{"rec":)" + repeated("[", 200'000)), too_deep);
  EXPECT_EQ(failure(R"({"99":{"rec":)" + repeated("{\"1\":", 200'000)), too_deep);
  EXPECT_EQ(failure(repeated("[", 200'000)), "Thrift object: '{' expected at byte 0");
}

TEST(ThriftJson, HostileCountAllocatesNothing) {
  EXPECT_EQ(failure(R"({"8":{"lst":["rec",2147483647]}})"),
            "Thrift object: a list or map says that it has 2147483647 elements and has 0");
  EXPECT_EQ(failure(R"({"9":{"map":["str","str",-1,{}]}})"),
            "Thrift object: a list or map says that it has -1 elements and has 0");
}

TEST(ThriftJson, FieldOfAnotherTypeIsRefused) {
  EXPECT_EQ(failure(R"({"1":{"i32":5}})"),
            "Thrift object: a field that should be of type 'str' has another");
  EXPECT_EQ(failure(R"({"4":{"str":"5"}})"),
            "Thrift object: a field that should be an integer has another type");
  EXPECT_EQ(failure(R"({"8":{"lst":["str",1,"a"]}})"),
            "Thrift object: a field that should be of type 'rec' has another");
}

TEST(ThriftJson, TextCutAtAnyLengthIsRefused) {
  const std::string whole =
      R"({"1":{"str":"t\u00e9"},"7":{"rec":{"1":{"lst":["rec",1,{"1":{"str":"id"}}]},)"
      R"("2":{"str":"hdfs://nn/t"},"11":{"rec":{"3":{"map":["lst","str",1,{["str",1,"x"]:"l"}]}}}}},)"
      R"("9":{"map":["str","str",1,{"EXTERNAL":"TRUE"}]},"25":{"i64":7}})";
  EXPECT_EQ(failure(whole), "read");
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(failure(std::string_view(whole).substr(0, length)), "read") << length;
  }
}

TEST(ThriftJson, BrokenTextIsRefused) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           "[]",
                           "null",
                           "{}x",
                           "{} {}",
                           "{\"1\"}",
                           "{\"1\":{}}",
                           "{\"1\":null}",
                           "{\"1\":{\"str\":null}}",
                           "{\"1\":{\"str\":\"a\"},}",
                           "{\"1\":{\"str\":\"a\"}",
                           "{\"1\":{\"str\":\"a",
                           "{\"1\":{\"str\":\"a\\",
                           "{\"1\":{\"str\":\"\\x\"}}",
                           "{\"1\":{\"str\":\"\\u12\"}}",
                           "{\"1\":{\"str\":\"\\u12g4\"}}",
                           "{\"x\":{\"str\":\"a\"}}",
                           "{1:{\"str\":\"a\"}}",
                           "{\"99\":{\"rec\":[}}}",
                           "{\"99\":{\"rec\":[1}]}}",
                           "{\"99\":{\"rec\":}}",
                           "{\"99\":{\"rec\":,1}}",
                           "{\"4\":{\"i32\":99999999999999999999}}",
                           "{\"4\":{\"i32\":1.5}}",
                           "{\"99\":{\"i32\":!}}"}) {
    EXPECT_NE(failure(text), "read") << text;
  }
}

}  // namespace
}  // namespace hmsync::processor
