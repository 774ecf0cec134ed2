#include "store/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "store/reader_sql.h"
#include "tests/store/own_database.h"

namespace hmsync::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kNobodysType = "USER";

class Reading : public testing::Test {
 protected:
  Reading() : sql_(database_.options()), reader_(database_.options(), "server1") {}

  /// Returns the object's number. `table` '': a database.
  std::string put(const std::string& database, const std::string& table, const Parameter& owner,
                  const std::string& type = "MANAGED_TABLE", const std::string& catalog = "hive",
                  const std::string& server = "server1") {
    const Result row = sql_.query(
        "INSERT INTO objects (server, catalog, database_name, table_name, type, owner, owner_type) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING object_id",
        {server, catalog, database, table, table.empty() ? "" : type, owner, kNobodysType});
    return std::string(row.text(0, 0));
  }
  /// `values` in PostgreSQL's text form of an array; scheme and authority may be missing.
  void put_path(const std::string& object, const std::string& values, const Parameter& scheme,
                const Parameter& authority, const Parameter& path) {
    sql_.query("INSERT INTO paths VALUES ($1, $2, $3, $4, $5)",
               {object, values, scheme, authority, path});
  }
  void put_role(const std::string& role) {
    sql_.query("INSERT INTO roles (role) VALUES ($1)", {role});
  }
  void put_grant(const std::string& role, const std::string& object_columns,
                 const std::string& object_values, const std::string& action) {
    sql_.query("INSERT INTO grants (role_id, server, action, grantor, granted_at, as_of_event, " +
                   object_columns +
                   ") SELECT role_id, 'server1', $2, 'bob', "
                   "'2026-11-30 07:08:09.25+00', 17, " +
                   object_values + " FROM roles WHERE role = $1",
               {role, action});
  }

  using Lines = std::vector<std::string>;
  static Reader::Line into(Lines& lines) {
    return [&lines](std::string_view line) { lines.emplace_back(line); };
  }
  Lines exported() {
    Lines lines;
    reader_.export_lines(into(lines));
    return lines;
  }
  Lines paths(const std::string& prefix) {
    Lines lines;
    reader_.paths(prefix, into(lines));
    return lines;
  }
  Lines grants(const GrantFilter& filter) {
    Lines lines;
    reader_.grants(filter, into(lines));
    return lines;
  }
  Lines objects(const ObjectFilter& filter) {
    Lines lines;
    reader_.objects(filter, into(lines));
    return lines;
  }

  OwnDatabase database_;
  Connection sql_;
  Reader reader_;
};

TEST_F(Reading, ExportsEverythingInTheFormAndOrderOfTheInterface) {
  const auto sales = put("sales", "", "alice");
  put_path(sales, "{}", "hdfs", "nn:8020", "/warehouse/sales.db");
  const auto orders = put("sales", "orders", "alice");
  put_path(orders, "{}", "hdfs", "nn:8020", "/warehouse/sales.db/orders");
  put_path(orders, "{2026-11-30,eu}", "hdfs", "nn:8020",
           "/warehouse/sales.db/orders/dt=2026-11-30/region=eu");
  put_role("analyst");
  sql_.query("INSERT INTO role_members SELECT role_id, 'group', 'analysts' FROM roles");
  put_grant("analyst", "database_name, table_name", "'sales', 'orders'", "SELECT");
  EXPECT_THAT(
      exported(),
      ElementsAre(
          R"({"kind":"database","server":"server1","catalog":"hive","database":"sales","owner":"alice","owner_type":"USER","location":"hdfs://nn:8020/warehouse/sales.db"})",
          R"({"kind":"grant","role":"analyst","server":"server1","catalog":"hive","database":"sales","table":"orders","column":null,"uri":null,"action":"SELECT","grant_option":false,"suspended":false})",
          R"({"kind":"partition","server":"server1","catalog":"hive","database":"sales","table":"orders","values":["2026-11-30","eu"],"location":"hdfs://nn:8020/warehouse/sales.db/orders/dt=2026-11-30/region=eu"})",
          R"({"kind":"role","role":"analyst","groups":["analysts"],"users":[]})",
          R"({"kind":"table","server":"server1","catalog":"hive","database":"sales","table":"orders","type":"MANAGED_TABLE","owner":"alice","owner_type":"USER","location":"hdfs://nn:8020/warehouse/sales.db/orders"})"));
}

TEST_F(Reading, ExportsOddNamesUnescapedButForWhatJsonMustEscape) {
  const auto odd = put("größe", "日本\"語\\x/y\t\x01", "o'neill");
  put_path(odd, "{\"a\\\"b\",\"\",\"c,d}\",NULL,\" \"}", "s3a", "bucket", "/ü%3A/x=1");
  EXPECT_THAT(
      exported(),
      ElementsAre(
          "{\"kind\":\"partition\",\"server\":\"server1\",\"catalog\":\"hive\",\"database\":"
          "\"größe\",\"table\":\"日本\\\"語\\\\x/"
          "y\\t\\u0001\",\"values\":[\"a\\\"b\",\"\",\"c,d}\","
          "null,\" \"],\"location\":\"s3a://bucket/ü%3A/x=1\"}",
          "{\"kind\":\"table\",\"server\":\"server1\",\"catalog\":\"hive\",\"database\":\"größe\","
          "\"table\":\"日本\\\"語\\\\x/y\\t\\u0001\",\"type\":\"MANAGED_TABLE\",\"owner\":"
          "\"o'neill\",\"owner_type\":\"USER\",\"location\":null}"));
}

TEST_F(Reading, ExportsWhatIsAbsentAsNull) {
  const auto database = put("d", "", std::nullopt);
  put_path(database, "{}", std::nullopt, std::nullopt, "/bare");
  const auto view = put("d", "v", "", "VIRTUAL_VIEW");
  put_path(view, "{1}", std::nullopt, std::nullopt, std::nullopt);
  const auto local = put("d", "w", "", "");
  put_path(local, "{}", "file", std::nullopt, "/x");
  EXPECT_THAT(
      exported(),
      ElementsAre(
          R"({"kind":"database","server":"server1","catalog":"hive","database":"d","owner":null,"owner_type":"USER","location":"/bare"})",
          R"({"kind":"partition","server":"server1","catalog":"hive","database":"d","table":"v","values":["1"],"location":null})",
          R"({"kind":"table","server":"server1","catalog":"hive","database":"d","table":"v","type":"VIRTUAL_VIEW","owner":null,"owner_type":"USER","location":null})",
          R"({"kind":"table","server":"server1","catalog":"hive","database":"d","table":"w","type":null,"owner":null,"owner_type":"USER","location":"file:/x"})"));
}

/// The value of a field of a line that holds no escapes.
std::string field(const std::string& line, const std::string& name) {
  const size_t at = line.find("\"" + name + "\":");
  if (at == std::string::npos) return "(none)";
  const size_t begin = at + name.size() + 3;
  const size_t end =
      line[begin] == '[' ? line.find(']', begin) + 1 : line.find_first_of(",}", begin);
  return line.substr(begin, end - begin);
}

TEST_F(Reading, SortsAsBytesWithNullFirst) {
  for (const std::string name : {"b", "B", "a_b", "a", "ab", "é", "z", "a b"}) put(name, "", "x");
  put("a", "", "x", "", "spark");
  const auto table = put("a", "t", "x");
  for (const std::string values : {"{b}", "{a,z}", "{a}", "{\"\"}", "{B}", "{10}", "{9}"}) {
    put_path(table, values, "file", std::nullopt, "/p" + values);
  }
  Lines databases;
  Lines partitions;
  for (const std::string& line : exported()) {
    if (field(line, "kind") == "\"database\"") {
      databases.push_back(field(line, "catalog") + field(line, "database"));
    }
    if (field(line, "kind") == "\"partition\"") partitions.push_back(field(line, "values"));
  }
  EXPECT_THAT(databases, ElementsAre("\"hive\"\"B\"", "\"hive\"\"a\"", "\"hive\"\"a b\"",
                                     "\"hive\"\"a_b\"", "\"hive\"\"ab\"", "\"hive\"\"b\"",
                                     "\"hive\"\"z\"", "\"hive\"\"é\"", "\"spark\"\"a\""));
  EXPECT_THAT(partitions, ElementsAre("[\"\"]", "[\"10\"]", "[\"9\"]", "[\"B\"]", "[\"a\"]",
                                      "[\"a\",\"z\"]", "[\"b\"]"));
}

TEST_F(Reading, SortsGrantsByRoleObjectAndAction) {
  put_role("b");
  put_role("A");
  put_grant("A", "database_name, table_name, column_name", "'d', 't', 'c'", "ALL");
  put_grant("A", "database_name, table_name", "'d', 't'", "SELECT");
  put_grant("A", "database_name, table_name", "'d', 't'", "ALL");
  put_grant("A", "database_name, suspended", "'d', true", "SELECT");
  put_grant("A", "database_name", "'d'", "SELECT");
  put_grant("A", "uri", "'file:/x'", "ALL");
  put_grant("A", "uri", "''", "SELECT");
  put_grant("b", "catalog, database_name", "'a', 'z'", "SELECT");
  put_grant("b", "uri", "''", "ALL");
  Lines seen;
  for (const std::string& line : exported()) {
    if (field(line, "kind") != "\"grant\"") continue;
    std::string text;
    for (const char* name :
         {"role", "catalog", "database", "table", "column", "uri", "action", "suspended"}) {
      text += field(line, name) + ' ';
    }
    seen.push_back(text);
  }
  EXPECT_THAT(seen, ElementsAre(R"("A" "hive" null null null null "SELECT" false )",
                                R"("A" "hive" null null null "file:/x" "ALL" false )",
                                R"("A" "hive" "d" null null null "SELECT" false )",
                                R"("A" "hive" "d" null null null "SELECT" true )",
                                R"("A" "hive" "d" "t" null null "ALL" false )",
                                R"("A" "hive" "d" "t" null null "SELECT" false )",
                                R"("A" "hive" "d" "t" "c" null "ALL" false )",
                                R"("b" "a" "z" null null null "SELECT" false )",
                                R"("b" "hive" null null null null "ALL" false )"));
}

TEST_F(Reading, SortsMembersWithinARole) {
  put_role("r");
  for (const char* member : {"b", "B", "a"}) {
    sql_.query("INSERT INTO role_members SELECT role_id, 'group', $1 FROM roles", {member});
    sql_.query("INSERT INTO role_members SELECT role_id, 'user', $1 || 'x' FROM roles", {member});
  }
  Lines lines;
  reader_.roles(into(lines));
  EXPECT_THAT(
      lines,
      ElementsAre(R"({"kind":"role","role":"r","groups":["B","a","b"],"users":["Bx","ax","bx"]})"));
}

TEST_F(Reading, ShowsOnlyItsOwnServer) {
  const auto mine = put("mine", "", "x");
  const auto other = put("other", "t", "x", "MANAGED_TABLE", "hive", "server2");
  put_path(other, "{}", "file", std::nullopt, "/other");
  put_path(other, "{1}", "file", std::nullopt, "/other/1");
  put_path(mine, "{}", "file", std::nullopt, "/mine");
  put_role("r");
  sql_.query(
      "INSERT INTO grants (role_id, server, action, as_of_event) "
      "SELECT role_id, 'server2', 'ALL', 1 FROM roles");
  Lines all = exported();
  for (const Lines& more : {paths(""), grants({}), objects({})}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  EXPECT_EQ(all.size(), 4U);
  for (const std::string& line : all) EXPECT_THAT(line, Not(HasSubstr("other")));
  EXPECT_EQ(reader_.owner_of("file:/other/1"), std::nullopt);
}

TEST_F(Reading, FiltersObjects) {
  put("sales", "", "x");
  put("sales", "orders", "x");
  put("sales", "returns", "x");
  put("hr", "", "x");
  put("hr", "orders", "x");
  put("sales", "", "x", "", "spark");
  const auto names = [](const Lines& lines) {
    Lines short_lines;
    for (const auto& line : lines) {
      short_lines.push_back(field(line, "catalog") + field(line, "database") +
                            field(line, "table"));
    }
    return short_lines;
  };
  EXPECT_THAT(names(objects({std::nullopt, "SALES", std::nullopt})),
              ElementsAre("\"hive\"\"sales\"(none)", "\"spark\"\"sales\"(none)",
                          "\"hive\"\"sales\"\"orders\"", "\"hive\"\"sales\"\"returns\""));
  EXPECT_THAT(names(objects({"spark", std::nullopt, std::nullopt})),
              ElementsAre("\"spark\"\"sales\"(none)"));
  EXPECT_THAT(names(objects({std::nullopt, std::nullopt, "Orders"})),
              ElementsAre("\"hive\"\"hr\"\"orders\"", "\"hive\"\"sales\"\"orders\""));
  EXPECT_THAT(objects({std::nullopt, "nowhere", std::nullopt}), IsEmpty());
}

TEST_F(Reading, ListsGrantsWithWhoMadeThem) {
  put_role("r");
  put_role("s");
  put_grant("r", "database_name", "'d'", "SELECT");
  put_grant("r", "database_name, suspended, suspended_reason", "'d', true, 'gone'", "INSERT");
  put_grant("s", "database_name, table_name", "'d', 't'", "INSERT");
  EXPECT_THAT(
      grants({"r", std::nullopt, std::nullopt, false}),
      ElementsAre(
          R"({"kind":"grant","role":"r","server":"server1","catalog":"hive","database":"d","table":null,"column":null,"uri":null,"action":"SELECT","grant_option":false,"suspended":false,"id":1,"grantor":"bob","time":"2026-11-30T07:08:09.250Z","as_of_event":17,"reason":null})"));
  EXPECT_THAT(
      grants({std::nullopt, std::nullopt, std::nullopt, true}),
      ElementsAre(
          R"({"kind":"grant","role":"r","server":"server1","catalog":"hive","database":"d","table":null,"column":null,"uri":null,"action":"INSERT","grant_option":false,"suspended":true,"id":2,"grantor":"bob","time":"2026-11-30T07:08:09.250Z","as_of_event":17,"reason":"gone"})"));
  EXPECT_EQ(grants({std::nullopt, "D", std::nullopt, false}).size(), 2U);
  EXPECT_THAT(grants({std::nullopt, std::nullopt, "T", false}), ElementsAre(HasSubstr("\"id\":3")));
}

class Paths : public Reading {
 protected:
  Paths() {
    const auto sales = put("sales", "", "alice");
    put_path(sales, "{}", "hdfs", "nn", "/w/sales.db");
    const auto orders = put("sales", "orders", "alice");
    put_path(orders, "{}", "hdfs", "nn", "/w/sales.db/orders");
    put_path(orders, "{1}", "hdfs", "nn", "/w/sales.db/orders/d=1");
    put_path(orders, "{2}", "hdfs", "nn", "/w/sales.db/orders/d=2/deep%3A");
    const auto elsewhere = put("sales", "ext", "bob", "EXTERNAL_TABLE");
    put_path(elsewhere, "{}", "s3a", "b", "/w/sales.db/orders");
    const auto bare = put("sales", "bare", "bob", "EXTERNAL_TABLE");
    put_path(bare, "{}", std::nullopt, std::nullopt, "/w/sales.db/orders");
  }

  std::string owner(const std::string& path) {
    const auto line = reader_.owner_of(path);
    if (!line) return "nobody";
    std::string text = field(*line, "kind");
    for (const char* name : {"database", "table", "values"}) {
      if (field(*line, name) != "(none)") text += ' ' + field(*line, name);
    }
    return text;
  }
};

TEST_F(Paths, AnOwnerIsItsLineAfterThePath) {
  EXPECT_EQ(
      reader_.owner_of("HDFS://nn//w/sales.db/orders/./d=1/"),
      R"({"path":"hdfs://nn/w/sales.db/orders/d=1","kind":"partition","server":"server1","catalog":"hive","database":"sales","table":"orders","values":["1"],"location":"hdfs://nn/w/sales.db/orders/d=1"})");
  EXPECT_EQ(
      reader_.owner_of("hdfs://nn/w/sales.db/orders/d=3"),
      R"({"path":"hdfs://nn/w/sales.db/orders/d=3","kind":"table","server":"server1","catalog":"hive","database":"sales","table":"orders","type":"MANAGED_TABLE","owner":"alice","owner_type":"USER","location":"hdfs://nn/w/sales.db/orders"})");
  EXPECT_EQ(
      reader_.owner_of("hdfs://nn/w/sales.db/x"),
      R"({"path":"hdfs://nn/w/sales.db/x","kind":"database","server":"server1","catalog":"hive","database":"sales","owner":"alice","owner_type":"USER","location":"hdfs://nn/w/sales.db"})");
}

TEST_F(Paths, TheDeepestOwnerOfWholeFoldersCounts) {
  EXPECT_EQ(owner("hdfs://nn/w/sales.db/orders/d=2/deep%3A/file"),
            R"("partition" "sales" "orders" ["2"])");
  EXPECT_EQ(owner("hdfs://nn/w/sales.db/orders/d=2"), R"("table" "sales" "orders")");
  EXPECT_EQ(owner("hdfs://nn/w/sales.db/orders2"), R"("database" "sales")");
  EXPECT_EQ(owner("hdfs://nn/w/sales.dbx"), "nobody");
  EXPECT_EQ(owner("hdfs://nn/w"), "nobody");
  EXPECT_EQ(owner(""), "nobody");
}

TEST_F(Paths, SchemeAndAuthorityMustBeEqual) {
  EXPECT_EQ(owner("s3a://b/w/sales.db/orders/x"), R"("table" "sales" "ext")");
  EXPECT_EQ(owner("/w/sales.db/orders/x"), R"("table" "sales" "bare")");
  EXPECT_EQ(owner("hdfs://other/w/sales.db/orders"), "nobody");
  EXPECT_EQ(owner("hdfs:/w/sales.db/orders"), "nobody");
  EXPECT_EQ(owner("/w/sales.db"), "nobody");
}

TEST_F(Paths, AtOnePathAPartitionOwnsBeforeATableBeforeADatabase) {
  const auto second = put("b", "t", "x");
  put_path(second, "{}", "hdfs", "nn", "/w/sales.db");
  EXPECT_EQ(owner("hdfs://nn/w/sales.db"), R"("table" "b" "t")");
  const auto first = put("a", "t", "x");
  put_path(first, "{}", "hdfs", "nn", "/w/sales.db");
  EXPECT_EQ(owner("hdfs://nn/w/sales.db"), R"("table" "a" "t")");
  put_path(second, "{9}", "hdfs", "nn", "/w/sales.db");
  EXPECT_EQ(owner("hdfs://nn/w/sales.db"), R"("partition" "b" "t" ["9"])");
}

TEST_F(Paths, ARootOwnsWhatNothingDeeperDoes) {
  put_path(put("root", "", "x"), "{}", "hdfs", "nn", "/");
  EXPECT_EQ(owner("hdfs://nn/w"), R"("database" "root")");
  EXPECT_EQ(owner("hdfs://nn/"), R"("database" "root")");
  EXPECT_EQ(owner("hdfs://nn/w/sales.db"), R"("database" "sales")");
}

TEST_F(Paths, AnOwnerIsFoundBeyondTheLengthOfAnIndexKey) {
  const std::string folder = "/" + std::string(3000, 'x');
  put_path(put("long", "", "x"), "{}", "hdfs", "nn", folder);
  EXPECT_EQ(owner("hdfs://nn" + folder + "/y"), R"("database" "long")");
  EXPECT_EQ(owner("hdfs://nn" + folder + "y"), "nobody");
  EXPECT_EQ(paths("hdfs://nn" + folder).size(), 1U);
  EXPECT_THAT(paths("hdfs://nn" + folder + "y"), IsEmpty());
}

TEST_F(Paths, AreListedByPrefix) {
  EXPECT_THAT(
      paths("hdfs://nn/w/sales.db/orders"),
      ElementsAre(
          R"({"kind":"table","server":"server1","catalog":"hive","database":"sales","table":"orders","values":null,"location":"hdfs://nn/w/sales.db/orders"})",
          R"({"kind":"partition","server":"server1","catalog":"hive","database":"sales","table":"orders","values":["1"],"location":"hdfs://nn/w/sales.db/orders/d=1"})",
          R"({"kind":"partition","server":"server1","catalog":"hive","database":"sales","table":"orders","values":["2"],"location":"hdfs://nn/w/sales.db/orders/d=2/deep%3A"})"));
  EXPECT_THAT(
      paths("hdfs://nn/w/sal"),
      testing::Contains(
          R"({"kind":"database","server":"server1","catalog":"hive","database":"sales","table":null,"values":null,"location":"hdfs://nn/w/sales.db"})"));
  EXPECT_EQ(paths("hdfs://nn/w/sal").size(), 4U);
  EXPECT_EQ(paths("hdfs://nn/w/sales.db/").size(), 3U);
  EXPECT_EQ(paths("hdfs://nn/w/sales.db/orders/d=1/").size(), 0U);
  EXPECT_EQ(paths("/w/sales.db/orders").size(), 5U);
  EXPECT_EQ(paths("").size(), 6U);
  EXPECT_THAT(paths("hdfs://nn/w/sales_db"), IsEmpty());
}

class ManyPaths : public Paths {
 protected:
  ManyPaths() {
    sql_.execute(R"(INSERT INTO objects (server, catalog, database_name, table_name)
SELECT 'server1', 'hive', 'many', 't' || n FROM generate_series(1, 2000) n;
INSERT INTO paths SELECT object_id, ARRAY[p::text], 'hdfs', 'nn', '/w/many.db/' || table_name || '/' || p
FROM objects, generate_series(1, 10) p WHERE database_name = 'many';
ANALYZE objects; ANALYZE paths)");
  }
  std::string plan(const std::string& query, std::initializer_list<Parameter> parameters) {
    return text_of(sql_.query("EXPLAIN " + query, parameters), 1);
  }
};

TEST_F(ManyPaths, AnOwnerIsFoundByTheIndexOfPaths) {
  EXPECT_EQ(owner("hdfs://nn/w/many.db/t77/5/part-0"), R"("partition" "many" "t77" ["5"])");
  const std::vector<std::string> candidates{"/w/many.db/t77/5", "/w/many.db/t77", "/w/many.db",
                                            "/w", "/"};
  const std::string text =
      plan(owner_line(), {"server1", "hdfs", "nn", text_array(candidates), ""});
  EXPECT_THAT(text, HasSubstr("Scan on paths_by_path"));
  EXPECT_THAT(text, Not(HasSubstr("Seq Scan")));
}

TEST_F(ManyPaths, APrefixIsFoundByTheIndexOfPrefixes) {
  EXPECT_EQ(paths("hdfs://nn/w/many.db/t77/").size(), 10U);
  const std::string text = plan(path_lines(), {"server1", "hdfs", "nn", "/w/many.db/t77/"});
  EXPECT_THAT(text, HasSubstr("paths_by_prefix"));
  EXPECT_THAT(text, Not(HasSubstr("Seq Scan on paths")));
}

TEST_F(Reading, AnExportIsTheStateOfOneMoment) {
  put("a", "", "x");
  put("a", "t", "x");
  Lines lines;
  reader_.export_lines([&](std::string_view line) {
    if (lines.empty()) put("a", "u", "x");
    lines.emplace_back(line);
  });
  EXPECT_EQ(lines.size(), 2U);
  EXPECT_EQ(exported().size(), 3U);
}

TEST_F(Reading, AListThatItsReaderLeavesDoesNotSpoilTheNext) {
  put("a", "", "x");
  put("b", "", "x");
  EXPECT_THROW(reader_.export_lines([](std::string_view) { throw std::runtime_error("left"); }),
               std::runtime_error);
  EXPECT_EQ(exported().size(), 2U);
}

TEST_F(Reading, PositionIsTheCursorOrWhatIsBelowTheFirstPendingReRead) {
  EXPECT_EQ(reader_.position().generation, 0);
  EXPECT_EQ(reader_.position().cursor, -1);
  sql_.query("INSERT INTO followers (server, generation) VALUES ('server1', 3)");
  EXPECT_EQ(reader_.position().generation, 3);
  EXPECT_EQ(reader_.position().cursor, -1);
  sql_.query("UPDATE followers SET cursor = 20");
  EXPECT_EQ(reader_.position().cursor, 20);
  sql_.query(
      "INSERT INTO pending_re_reads (server, catalog, database_name, event_id, generation) "
      "VALUES ('server1', 'hive', 'a', 15, 3), ('server1', 'hive', 'b', 12, 3), "
      "('server1', 'hive', 'c', 2, 2)");
  EXPECT_EQ(reader_.position().cursor, 11);
}

TEST_F(Reading, PositionTellsWhetherIdsMayBeSharedAndWhichPollsAreAnswered) {
  sql_.execute("INSERT INTO followers (server, cursor) VALUES ('server1', 20)");
  EXPECT_TRUE(reader_.position().polls_needed) << "a metastore without UUID";
  EXPECT_EQ(reader_.position().polls_answered, 0);
  sql_.execute("UPDATE followers SET metastore_uuid = 'u-1'");
  EXPECT_FALSE(reader_.position().polls_needed);
  sql_.execute("UPDATE followers SET shared_ids_seen = true");
  EXPECT_TRUE(reader_.position().polls_needed);
  sql_.execute(
      "INSERT INTO follower_progress (server, polls_asked, polls_answered) "
      "VALUES ('server1', 5, 4), ('server2', 9, 9)");
  EXPECT_EQ(reader_.position().polls_answered, 4);
  EXPECT_EQ(reader_.position().cursor, 20);
}

TEST_F(Reading, TheFollowerRowTellsHowLongAgoByTheDatabasesClock) {
  EXPECT_FALSE(reader_.follower_row());
  sql_.execute(R"(INSERT INTO followers (server, cursor, commit_number, generation, metastore_uuid,
    applied, ignored, quarantined, late, shared_id, refuted)
  VALUES ('server1', 20, 5, 3, 'u-1', 11, 12, 13, 14, 15, 16);
INSERT INTO quarantine (server, generation, event_id, event_time, type, message_format, message, reason)
  VALUES ('server1', 3, 19, 0, 'DROP_TABLE', '', '', 'why'))");
  put_role("r");
  put_grant("r", "database_name, suspended", "'d', true", "SELECT");
  const auto bare = reader_.follower_row();
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->phase, "starting");
  EXPECT_EQ(bare->head, std::nullopt);
  EXPECT_EQ(bare->caught_up_ago, std::nullopt);
  sql_.execute(R"(INSERT INTO follower_progress
  VALUES ('server1', 25, 'epoch', now() - interval '2 hours', NULL, 'following'))");
  const auto row = reader_.follower_row();
  ASSERT_TRUE(row);
  EXPECT_EQ(row->cursor, 20);
  EXPECT_EQ(row->head, 25);
  EXPECT_EQ(row->phase, "following");
  EXPECT_EQ(row->generation, 3);
  EXPECT_EQ(row->commit_number, 5);
  EXPECT_EQ(row->metastore_uuid, "u-1");
  EXPECT_GE(row->caught_up_ago.value_or(0), 7200);
  EXPECT_LT(row->caught_up_ago.value_or(7300), 7300);
  // A moment that is still to come, after the clock was put back, is no negative age.
  sql_.execute("UPDATE follower_progress SET caught_up_at = now() + interval '1 hour'");
  EXPECT_EQ(reader_.follower_row()->caught_up_ago, 0.0);
  EXPECT_EQ(row->quarantined_now, 1);
  EXPECT_EQ(row->suspended_grants, 1);
  EXPECT_EQ(row->applied, 11);
  EXPECT_EQ(row->ignored, 12);
  EXPECT_EQ(row->quarantined, 13);
  EXPECT_EQ(row->late, 14);
  EXPECT_EQ(row->shared_id, 15);
  EXPECT_EQ(row->refuted, 16);
}

}  // namespace
}  // namespace hmsync::store
