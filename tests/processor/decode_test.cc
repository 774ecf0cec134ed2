#include <gtest/gtest.h>

#include <algorithm>

#include "processor/change.h"
#include "processor/error.h"
#include "tests/processor/change_text.h"

namespace hmsync::processor {
namespace {

// A Thrift object as a value in a message.
std::string quoted(const std::string& tjson) {
  std::string text = "\"";
  for (const char c : tjson) {
    text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return text + "\"";
}

std::string table_json(const std::string& database, const std::string& table,
                       const std::string& more = "") {
  return quoted(R"({"1":{"str":")" + table + R"("},"2":{"str":")" + database + R"("})" + more +
                "}");
}

std::string partition_json(const std::string& values, const std::string& location) {
  const auto count = std::to_string(std::count(values.begin(), values.end(), ',') + 1);
  return quoted(R"({"1":{"lst":["str",)" + count + "," + values + R"(]},"6":{"rec":{"2":{"str":")" +
                location + R"("}}}})");
}

const std::string kTwoKeys = R"(,"8":{"lst":["rec",2,{"1":{"str":"ds"}},{"1":{"str":"hr"}}]})";

Event event_of(const std::string& type, const std::string& message) {
  Event event;
  event.id = 17;
  event.type = type;
  event.catalog = "Spark";
  event.database = "HeaderDb";
  event.table = "HeaderTable";
  event.message = message;
  event.message_format = "json-0.2";
  return event;
}

std::string decoded(const Event& event, const DecodeLimits& limits = {}) {
  try {
    return to_text(decode(event, limits));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::poison);
    return error.what();
  }
}

std::string decoded(const std::string& type, const std::string& message) {
  return decoded(event_of(type, message));
}

const std::string kDrop = R"({"server":"","db":"Sales","table":"T"})";
// the same, packed
const std::string kPackedDrop =
    "H4sIAAAAAAACA6tWKk4tKkstUrJSUtJRSkkC0sGJOanFQE5JYlJOKpAfolQLAGVUH7QmAAAA";

TEST(DecodeWithheld, IsPoisonOnlyWhereTheMessageWouldBeRead) {
  Event event = event_of("ADD_PARTITION", "");
  event.message_format = "of a later metastore";
  event.withheld = WithheldMessage{104857601, {}};
  EXPECT_EQ(decoded(event),
            "event 17 (ADD_PARTITION): the message has 104857601 bytes, more than "
            "metastore.max_message allows");
  event.type = "INSERT";
  EXPECT_EQ(decoded(event), "ignored");
}

TEST(DecodeFormat, IsKnownByNameAndThenToldByTheFirstBytes) {
  for (const char* format : {"", "json", "json-0.2", "json-2.0", "gzip(json-2.0)"}) {
    for (const std::string& message :
         {kDrop, kPackedDrop, " \n" + kDrop, " " + kPackedDrop + "\n"}) {
      Event event = event_of("DROP_TABLE", message);
      event.message_format = format;
      EXPECT_EQ(decoded(event), "drop table spark.sales.t -") << format << " " << message;
    }
  }
}

TEST(DecodeFormat, ThatIsUnknownIsAnErrorThatNamesIt) {
  Event event = event_of("DROP_TABLE", kDrop);
  event.message_format = "protobuf-1";
  EXPECT_EQ(decoded(event),
            "event 17 (DROP_TABLE): the message format 'protobuf-1' is not known; known are "
            "json-0.2 and gzip(json-2.0)");
  event.message_format = std::string("\0\x80\n", 3) + std::string(1'000'000, 'x');
  EXPECT_EQ(decoded(event), "event 17 (DROP_TABLE): the message format '???" +
                                std::string(61, 'x') +
                                "' is not known; known are json-0.2 and gzip(json-2.0)");
}

TEST(DecodeFormat, OfAPackedMessageKeepsToTheLimit) {
  const Event event = event_of("DROP_TABLE", kPackedDrop);
  EXPECT_EQ(decoded(event, {.inflated_bytes = kDrop.size()}), "drop table spark.sales.t -");
  EXPECT_EQ(decoded(event, {.inflated_bytes = kDrop.size() - 1}),
            "event 17 (DROP_TABLE): the gzip message unpacks to more than 37 bytes");
}

TEST(DecodeType, ThatIsUnknownIsIgnoredWhateverItsMessageIs) {
  Event event = event_of("SOME_FUTURE_EVENT", std::string("\0\xff{[", 4));
  event.message_format = "who knows";
  EXPECT_EQ(decoded(event), "ignored");
  event.type = "create_table";
  EXPECT_EQ(decoded(event), "ignored");
  event.type = "";
  EXPECT_EQ(decoded(event), "ignored");
}

TEST(DecodeType, ThatChangesNoObjectIsIgnoredWhateverItsMessageIs) {
  for (const char* type : {"INSERT",
                           "CREATE_FUNCTION",
                           "DROP_FUNCTION",
                           "CREATE_INDEX",
                           "DROP_INDEX",
                           "ALTER_INDEX",
                           "ADD_PRIMARYKEY",
                           "ADD_FOREIGNKEY",
                           "ADD_UNIQUECONSTRAINT",
                           "ADD_NOTNULLCONSTRAINT",
                           "ADD_DEFAULTCONSTRAINT",
                           "ADD_CHECKCONSTRAINT",
                           "DROP_CONSTRAINT",
                           "OPEN_TXN",
                           "COMMIT_TXN",
                           "ABORT_TXN",
                           "ALLOC_WRITE_ID_EVENT",
                           "ACID_WRITE_EVENT",
                           "UPDATE_TBL_COL_STAT_EVENT",
                           "DELETE_TBL_COL_STAT_EVENT",
                           "UPDATE_PART_COL_STAT_EVENT",
                           "DELETE_PART_COL_STAT_EVENT",
                           "RELOAD",
                           "COMMIT_COMPACTION_EVENT",
                           "CREATE_CATALOG"}) {
    Event event = event_of(type, "H4sI{garbage");
    event.message_format = "who knows";
    EXPECT_EQ(decoded(event), "ignored") << type;
    EXPECT_EQ(std::count(known_event_types().begin(), known_event_types().end(), type), 1) << type;
  }
}

TEST(DecodeType, ThatIsReadIsKnownAndGarbageInItIsPoison) {
  for (const char* type :
       {"CREATE_DATABASE", "ALTER_DATABASE", "DROP_DATABASE", "CREATE_TABLE", "ALTER_TABLE",
        "DROP_TABLE", "ADD_PARTITION", "DROP_PARTITION", "ALTER_PARTITION", "ALTER_PARTITIONS"}) {
    EXPECT_EQ(std::count(known_event_types().begin(), known_event_types().end(), type), 1) << type;
    const std::string prefix = "event 17 (" + std::string(type) + "): ";
    EXPECT_EQ(decoded(type, "garbage"), prefix + "the message is neither JSON nor base64 of gzip");
    EXPECT_EQ(decoded(type, ""), prefix + "the message is neither JSON nor base64 of gzip");
    EXPECT_TRUE(decoded(type, "{").starts_with(prefix + "the message is not valid JSON"));
    EXPECT_TRUE(decoded(type, "{}}").starts_with(prefix + "the message is not valid JSON"));
  }
}

TEST(DecodeNames, OfADropAreEnoughWhereItsTableCannotBeRead) {
  EXPECT_EQ(decoded("DROP_TABLE", R"({"db":"a","table":"t","tableObjJson":"{\"4\":{\"i32\":7}}"})"),
            "drop table spark.a.t created:7");
  EXPECT_EQ(decoded("DROP_TABLE", R"({"db":"a","table":"t","tableObjJson":"{"})"),
            "drop table spark.a.t -");
}

TEST(DecodeNames, ComeFromTheMessageElseTheHeaderInLowerCase) {
  EXPECT_EQ(decoded("DROP_TABLE", R"({"db":"MsgDb","table":"MsgTable"})"),
            "drop table spark.msgdb.msgtable -");
  EXPECT_EQ(decoded("DROP_TABLE", R"({"db":null,"table":""})"),
            "drop table spark.headerdb.headertable -");
  EXPECT_EQ(decoded("DROP_DATABASE", "{}"), "drop database spark.headerdb");
  Event event = event_of("DROP_TABLE", R"({"db":"GRÖSSE","table":"ÄB"})");
  event.catalog = std::nullopt;
  EXPECT_EQ(decoded(event), "drop table hive.grÖsse.Äb -");  // ASCII letters only
}

TEST(DecodeNames, ThatAreNowhereArePoison) {
  Event event = event_of("DROP_TABLE", R"({"db":"d"})");
  event.table = std::nullopt;
  EXPECT_EQ(decoded(event),
            "event 17 (DROP_TABLE): neither the message nor the event's header names a table");
  event.message = R"({"table":"t"})";
  event.database = "";
  EXPECT_EQ(decoded(event),
            "event 17 (DROP_TABLE): neither the message nor the event's header names a database");
}

TEST(DecodeNames, OfAnObjectCountMost) {
  EXPECT_EQ(
      decoded("CREATE_TABLE", R"({"db":"m","table":"m","tableObjJson":)" +
                                  table_json("ObjDb", "ObjTable", R"(,"17":{"str":"Cat"})") + "}"),
      "create table cat.objdb.objtable  :USER - () () -");
}

TEST(DecodeNames, BeforeAnAlterationAreTheMessagesAndAfterItTheHeaders) {
  EXPECT_EQ(
      decoded("ALTER_TABLE",
              R"({"db":"OldDb","table":"Old","tableObjBeforeJson":"{}","tableObjAfterJson":"{}"})"),
      "alter table spark.olddb.old  :USER - () () - => "
      "table spark.headerdb.headertable  :USER - () () -");
}

TEST(DecodeNames, ThatCannotBeStoredArePoison) {
  Event event = event_of("DROP_TABLE", "{}");
  event.table = std::string("a\0b", 3);
  EXPECT_TRUE(decoded(event).find("U+0000") != std::string::npos);
  event.table = "a\xff";
  EXPECT_TRUE(decoded(event).find("not valid UTF-8") != std::string::npos);
  EXPECT_TRUE(decoded("DROP_TABLE", R"({"db":"a\u0000"})").find("U+0000") != std::string::npos);
  EXPECT_TRUE(decoded("DROP_TABLE", R"({"db":"\ud800"})").starts_with("event 17"));
  EXPECT_TRUE(decoded("DROP_TABLE", R"({"db":"\udc00"})").starts_with("event 17"));
  EXPECT_TRUE(decoded("DROP_TABLE", "{\"db\":\"\xff\"}").starts_with("event 17"));
  EXPECT_EQ(decoded("DROP_TABLE", R"({"db":7})"),
            "event 17 (DROP_TABLE): 'db' in the message is not a string");
}

TEST(DecodeDatabase, WithoutAnObjectHasOnlyItsName) {
  EXPECT_EQ(decoded("CREATE_DATABASE", R"({"db":"Plain"})"),
            "create database spark.plain :USER - -");
}

TEST(DecodeDatabase, IsNeverRenamed) {
  const std::string before = quoted(R"({"1":{"str":"Old"},"6":{"str":"a"},"9":{"i32":5}})");
  const std::string after = quoted(R"({"1":{"str":"new"},"6":{"str":"b"},"7":{"i32":3}})");
  EXPECT_EQ(decoded("ALTER_DATABASE", R"({"db":"old","dbObjBeforeJson":)" + before +
                                          R"(,"dbObjAfterJson":)" + after + "}"),
            "alter database spark.old a:USER - created:5 => "
            "database spark.old b:GROUP - created:5");
  EXPECT_EQ(decoded("ALTER_DATABASE", R"({"db":"old","dbObjAfterJson":)" + after + "}"),
            "event 17 (ALTER_DATABASE): the message has no 'dbObjBeforeJson'");
}

TEST(DecodeTable, WithoutAnObjectIsPoison) {
  EXPECT_EQ(decoded("CREATE_TABLE", R"({"db":"d","table":"t","tableObjJson":null})"),
            "event 17 (CREATE_TABLE): the message has no 'tableObjJson'");
  EXPECT_EQ(decoded("ALTER_TABLE", R"({"db":"d","table":"t","tableObjBeforeJson":"{}"})"),
            "event 17 (ALTER_TABLE): the message has no 'tableObjAfterJson'");
}

TEST(DecodeTable, WithoutALocationHasNone) {
  const std::string object = table_json("d", "v", R"(,"7":{"rec":{"2":{"str":""}}})");
  EXPECT_EQ(
      decoded("CREATE_TABLE", R"({"tableType":"VIRTUAL_VIEW","tableObjJson":)" + object + "}"),
      "create table spark.d.v VIRTUAL_VIEW :USER - () () -");
}

TEST(DecodeTable, KeepsItsIdentityWhateverTheClientSent) {
  const std::string before = table_json("d", "t", R"(,"4":{"i32":100})");
  const std::string after = table_json("d", "t", R"(,"4":{"i32":0},"25":{"i64":7})");
  EXPECT_EQ(decoded("ALTER_TABLE", R"({"tableObjBeforeJson":)" + before +
                                       R"(,"tableObjAfterJson":)" + after + "}"),
            "alter table spark.d.t  :USER - () () created:100 => "
            "table spark.d.t  :USER - () () created:100");
}

TEST(DecodeAddPartition, WithoutListsAddsNothing) {
  for (const char* message :
       {R"({"db":"d","table":"t"})", R"({"db":"d","table":"t","partitionListJson":null})",
        R"({"db":"d","table":"t","partitions":[],"partitionListJson":[]})"}) {
    EXPECT_EQ(decoded("ADD_PARTITION", message), "add to spark.d.t") << message;
  }
}

TEST(DecodeAddPartition, ThatNamesPartitionsWithoutObjectsIsPoison) {
  EXPECT_EQ(decoded("ADD_PARTITION", R"({"db":"d","table":"t","partitions":[{"ds":"a"}]})"),
            "event 17 (ADD_PARTITION): the message names partitions and has no objects of them "
            "('partitionListJson')");
}

TEST(DecodeAddPartition, WithAnotherNumberOfValuesThanKeysIsPoison) {
  const std::string table = R"("tableObjJson":)" + table_json("d", "t", kTwoKeys);
  EXPECT_EQ(decoded("ADD_PARTITION", "{" + table + R"(,"partitionListJson":[)" +
                                         partition_json(R"("a","b")", "/p") + "]}"),
            "add to spark.d.t; partition [a|b] /p");
  EXPECT_EQ(decoded("ADD_PARTITION", "{" + table + R"(,"partitionListJson":[)" +
                                         partition_json(R"("a")", "/p") + "]}"),
            "event 17 (ADD_PARTITION): a partition has 1 values and its table 2 partition keys");
  EXPECT_EQ(decoded("ADD_PARTITION", "{" + table + R"(,"partitionListJson":["{}"]})"),
            "event 17 (ADD_PARTITION): a partition has no values");
}

TEST(DecodeDropPartition, OrdersValuesByTheTablesKeysWithoutCase) {
  const std::string table = R"({"tableObjJson":)" + table_json("d", "t", kTwoKeys);
  EXPECT_EQ(decoded("DROP_PARTITION",
                    table + R"(,"partitions":[{"HR":"7","Ds":"a/B"},{"ds":"","hr":"8 %"}]})"),
            "drop from spark.d.t; [a/B|7]; [|8 %]");
  EXPECT_EQ(decoded("DROP_PARTITION", table + R"(,"partitions":[]})"), "drop from spark.d.t");
}

TEST(DecodeDropPartition, WhoseKeysAreNotTheTablesIsPoison) {
  const std::string table = R"({"tableObjJson":)" + table_json("d", "t", kTwoKeys);
  for (const char* partition :
       {R"({"ds":"a"})", R"({"ds":"a","hr":"1","x":"2"})", R"({"ds":"a","x":"1"})",
        R"({"ds":"a","DS":"b"})", R"({"ds":"a","hr":null})", R"({"ds":"a","hr":7})", "{}"}) {
    EXPECT_EQ(decoded("DROP_PARTITION", table + R"(,"partitions":[)" + partition + "]}"),
              "event 17 (DROP_PARTITION): a partition's keys are not those of its table")
        << partition;
  }
  EXPECT_EQ(decoded("DROP_PARTITION", table + R"(,"partitions":["a"]})"),
            "event 17 (DROP_PARTITION): an element of 'partitions' is not an object");
  EXPECT_EQ(decoded("DROP_PARTITION", table + "}"),
            "event 17 (DROP_PARTITION): the message has no 'partitions'");
  EXPECT_EQ(decoded("DROP_PARTITION", R"({"partitions":[{"ds":"a"}]})"),
            "event 17 (DROP_PARTITION): the message has no 'tableObjJson'");
  EXPECT_EQ(decoded("DROP_PARTITION", R"({"tableObjJson":"{}","partitions":[{}]})"),
            "event 17 (DROP_PARTITION): a partition's keys are not those of its table");
}

TEST(DecodeAlterPartition, TellsTheValuesBeforeAndTheStateAfter) {
  const std::string before = partition_json(R"("a","1")", "hdfs://nn/t/a");
  const std::string after = partition_json(R"("A","2")", "hdfs://nn/t/b/");
  EXPECT_EQ(decoded("ALTER_PARTITION", R"({"db":"d","table":"T","partitionObjBeforeJson":)" +
                                           before + R"(,"partitionObjAfterJson":)" + after + "}"),
            "alter in spark.d.t; [a|1] => partition [A|2] hdfs://nn/t/b");
  EXPECT_EQ(
      decoded("ALTER_PARTITION", R"({"db":"d","table":"T","partitionObjAfterJson":)" + after + "}"),
      "event 17 (ALTER_PARTITION): the message has no 'partitionObjBeforeJson'");
}

TEST(DecodeAlterPartitions, TellsTheStateAfterAlone) {
  EXPECT_EQ(
      decoded("ALTER_PARTITIONS", R"({"db":"d","table":"t","partitions":[{"ds":"a"},{"ds":"b"}],)"
                                  R"("writeId":-1,"partitionListJson":[)" +
                                      partition_json(R"("a")", "hdfs://nn/p/a") + "," +
                                      partition_json(R"("b")", "hdfs://nn/p/b") + "]}"),
      "alter in spark.d.t; => partition [a] hdfs://nn/p/a; => partition [b] hdfs://nn/p/b");
}

}  // namespace
}  // namespace hmsync::processor
