#include "tests/processor/recorded_expectations.h"

namespace hmsync::processor {
namespace {

// 2.3.10 tells the name alone; 3.1.3 has no creation time; 4.0.1 makes `root`, who ran it, the
// owner where none is given.
std::string new_database(const std::string& name, const std::string& owner_3_1,
                         const std::string& owner_4_0, const std::string& location_3_1,
                         const std::string& location_4_0, const std::string& event_4_0) {
  return "create database " + name + " <:USER - -|" + owner_3_1 + " " + location_3_1 + " -|" +
         owner_4_0 + " " + location_4_0 + " created:@" + event_4_0 + ">";
}

std::string new_database_in_warehouse(const std::string& name, const std::string& owner_3_1,
                                      const std::string& owner_4_0, const std::string& event_4_0) {
  return new_database("hive." + name, owner_3_1, owner_4_0,
                      "hdfs://nn1:8020/warehouse/" + name + ".db",
                      "hdfs://nn1:8020/warehouse-ext/" + name + ".db", event_4_0);
}

std::string sales(const std::string& owner, const std::string& location = kHouse + "/sales.db") {
  return "database hive.sales " + owner + " " + location + " <-|-|created:@2>";
}

/// 2.3.10 tells names only.
std::string dropped(const std::string& name, const std::string& event_3_1,
                    const std::string& id_4_0) {
  return "drop table " + name + " <-|created:@" + event_3_1 + "|id:" + id_4_0 + ">";
}

std::vector<Expectation> databases() {
  const std::string other = "hdfs://nn1:8020/other/sales.db";
  return {
      {"1|1|1", new_database_in_warehouse("plain", ":USER", "root:USER", "1")},
      {"2|2|2", new_database_in_warehouse("sales", "alice:USER", "alice:USER", "2")},
      {"3|3|3", new_database("hive.lake", "etl:ROLE", "etl:ROLE", "s3a://lake/root",
                             "s3a://lake/root", "3")},
      {"4|4|4", new_database_in_warehouse("archive", "bob:USER", "bob:USER", "4")},
      // owner to a user and to a role
      {"-|5|5", "alter " + sales("alice:USER") + " => " + sales("carol:USER")},
      {"-|6|6", "alter " + sales("carol:USER") + " => " + sales("admins:ROLE")},
      // location and back: without an event on 4.0.1, whose next event shows what it left
      {"-|7|-", "alter " + sales("admins:ROLE") + " => " + sales("admins:ROLE", other)},
      {"-|8|-", "alter " + sales("admins:ROLE", other) + " => " + sales("admins:ROLE")},
      // parameters
      {"-|9|-", "alter " + sales("admins:ROLE") + " => " + sales("admins:ROLE")},
      {"-|-|7", "alter " + sales("admins:ROLE", "hdfs://nn1:8020/warehouse/sales.db") + " => " +
                    sales("admins:ROLE")},
      // another catalog
      {"-|85|84", new_database("spark.default", ":USER", "root:USER", "hdfs://nn1:8020/spark",
                               "hdfs://nn1:8020/spark", "84")},
      {"-|86|85", new_database("spark.sdb", ":USER", "root:USER", "hdfs://nn1:8020/spark/sdb",
                               "hdfs://nn1:8020/spark/sdb", "85")},
      {"-|89|88", "drop database spark.sdb"},
      {"-|90|89", "drop database spark.default"},
      {"-|-|132", new_database_in_warehouse("a-b", "", "root:USER", "132")},
      {"104|136|140", "drop database hive.archive"},
      {"105|137|141", new_database_in_warehouse("gone", ":USER", "root:USER", "141")},
      {"115|147|151", "drop database hive.gone"},
  };
}

std::vector<Expectation> created_tables() {
  const auto in_sales = [](const std::string& name, const std::string& identity) {
    return ExpectedTable{
        .name = "sales." + name, .location = kHouse + "/sales.db/" + name, .identity = identity};
  };
  ExpectedTable ext = in_sales("ext", born("6", "11", "2"));
  ext.type = "EXTERNAL_TABLE";
  ext.location = "hdfs://nn1:8020/data/ext";
  ExpectedTable ext_default = in_sales("ext_default", born("7", "12", "3"));
  ext_default.type = "EXTERNAL_TABLE";
  ext_default.location = "hdfs://nn1:8020/warehouse<|-ext|-ext>/sales.db/ext_default";
  ExpectedTable view = in_sales("v_orders", born("8", "13", "4"));
  view.type = "VIRTUAL_VIEW";
  view.location = "-";
  ExpectedTable facts = in_sales("facts", born("9", "14", "5"));
  facts.keys = "ds";
  ExpectedTable clicks = {.name = "lake.clicks",
                          .type = "EXTERNAL_TABLE",
                          .location = "s3a://lake/root/clicks",
                          .identity = born("10", "15", "6"),
                          .keys = "ds,hr"};
  ExpectedTable nested = in_sales("nested", born("11", "16", "7"));
  nested.columns = "a,b";
  ExpectedTable role_owned = in_sales("role_owned", born("-", "18", "9"));
  role_owned.owner = "admins:ROLE";
  ExpectedTable mixed_case = in_sales("mixedcase", born("13", "19", "10"));
  mixed_case.columns = "id";
  ExpectedTable materialized = in_sales("mv1", born("14", "20", "11"));
  materialized.type = "MATERIALIZED_VIEW";
  materialized.location = "hdfs://nn1:8020/warehouse/sales.db/mv1";
  ExpectedTable bucketed = in_sales("bucketed", born("15", "21", "12"));
  bucketed.columns = "id";
  const ExpectedTable spark = {.name = "sdb.st",
                               .type = "EXTERNAL_TABLE",
                               .location = "hdfs://nn1:8020/spark/sdb/st",
                               .identity = born("-", "87", "17")};
  ExpectedTable insert_only = in_sales("mm", born("-", "91", "18"));
  insert_only.type = "MANAGED_TABLE";
  insert_only.location = "hdfs://nn1:8020/warehouse/sales.db/mm";
  return {
      {"5|10|8", "create " + in_sales("orders", born("5", "10", "1")).text()},
      {"6|11|9", "create " + ext.text()},
      {"7|12|10", "create " + ext_default.text()},
      {"8|13|11", "create " + view.text()},
      {"9|14|12", "create " + facts.text()},
      {"10|15|13", "create " + clicks.text()},
      {"11|16|14", "create " + nested.text()},
      {"12|17|15", "create " + in_sales("skewed", born("12", "17", "8")).text()},
      {"-|18|16", "create " + role_owned.text()},
      {"13|19|17", "create " + mixed_case.text()},
      {"14|20|18", "create " + materialized.text()},
      {"15|21|19", "create " + bucketed.text()},
      {"-|87|86", "create " + spark.text("spark")},
      {"-|88|87", dropped("spark.sdb.st", "87", "17")},
      {"-|91|90", "create " + insert_only.text()},
  };
}

std::vector<Expectation> altered_tables() {
  const ExpectedTable orders = {.name = "sales.orders",
                                .location = kHouse + "/sales.db/orders",
                                .identity = born("5", "10", "1")};
  ExpectedTable wider = orders;
  wider.columns = "id,v,added";
  ExpectedTable of_dave = wider;
  of_dave.owner = "dave:USER";
  ExpectedTable of_role = wider;
  of_role.owner = "<dave:USER|admins:ROLE|admins:ROLE>";  // 2.3.10 has no owner types
  const ExpectedTable ext = {.name = "sales.ext",
                             .type = "EXTERNAL_TABLE",
                             .location = "hdfs://nn1:8020/data/ext",
                             .identity = born("6", "11", "2")};
  ExpectedTable moved_ext = ext;
  moved_ext.location = "s3a://bucket/moved/ext";
  const ExpectedTable bucketed = {.name = "sales.bucketed",
                                  .location = kHouse + "/sales.db/bucketed",
                                  .identity = born("15", "21", "12"),
                                  .columns = "id"};
  ExpectedTable made_external = bucketed;
  made_external.type = "EXTERNAL_TABLE";  // although the object in the event still says managed
  const ExpectedTable view = {.name = "sales.v_orders",
                              .type = "VIRTUAL_VIEW",
                              .location = "-",
                              .identity = born("8", "13", "4")};
  ExpectedTable renamed = of_role;
  renamed.name = "sales.orders_2024";
  renamed.location = kHouse + "/sales.db/orders_2024";
  ExpectedTable archived = of_role;
  archived.name = "archive.orders_2024";
  archived.location = kHouse + "/archive.db/orders_2024";
  ExpectedTable ext2 = moved_ext;
  ext2.name = "sales.ext2";
  ExpectedTable v2 = view;
  v2.name = "sales.v2";
  return {
      {"16|22|20", altered(orders, wider) + kTranslated},
      {"17|23|21", altered(wider, wider) + kTranslated},  // the type of a column
      {"18|24|22", altered(ext, moved_ext)},
      {"19|25|23", altered(wider, of_dave) + kTranslated},
      {"-|26|24", altered(of_dave, of_role) + kTranslated},
      {"20|27|25", altered(of_role, of_role) + kTranslated},  // a parameter
      {"21|28|26", altered(bucketed, made_external) + kTranslated},
      {"22|29|27", altered(of_role, of_role) + kTranslated},  // nothing at all
      {"23|30|28", altered(view, view)},
      {"24|31|29", altered(of_role, renamed) + kTranslated},
      {"25|32|30", altered(renamed, archived) + kTranslated},
      {"26|33|31", altered(archived, of_role) + kTranslated},
      {"27|34|32", altered(moved_ext, ext2)},
      {"28|35|33", altered(view, v2)},
  };
}

std::vector<Expectation> dropped_tables() {
  const ExpectedTable again = {.name = "sales.nested",
                               .type = "EXTERNAL_TABLE",
                               .location = "hdfs://nn1:8020/new/nested",
                               .identity = born("103", "135", "55")};
  const ExpectedTable t1 = {
      .name = "gone.t1", .location = kHouse + "/gone.db/t1", .identity = born("106", "138", "56")};
  const ExpectedTable t2 = {.name = "gone.t2",
                            .location = kHouse + "/gone.db/t2",
                            .identity = born("107", "139", "57"),
                            .keys = "ds"};
  const ExpectedTable e1 = {.name = "gone.e1",
                            .type = "EXTERNAL_TABLE",
                            .location = "hdfs://nn1:8020/gone/e1",
                            .identity = born("109", "141", "58")};
  return {
      {"98|130|134", dropped("hive.sales.orders", "10", "1")},
      {"99|131|135", dropped("hive.sales.ext2", "11", "2")},
      {"100|132|136", dropped("hive.sales.v2", "13", "4")},
      {"101|133|137", dropped("hive.sales.many", "45", "13")},
      {"102|134|138", dropped("hive.sales.nested", "16", "7")},
      {"103|135|139", "create " + again.text()},
      // database gone, which is then dropped with all that is in it
      {"106|138|142", "create " + t1.text()},
      {"107|139|143", "create " + t2.text()},
      {"109|141|145", "create " + e1.text()},
      {"112|144|150", dropped("hive.gone.e1", "141", "58")},
      {"113|145|148", dropped("hive.gone.t1", "138", "56")},
      {"114|146|149", dropped("hive.gone.t2", "139", "57")},
  };
}

}  // namespace

std::string ExpectedTable::text(const std::string& catalog) const {
  return "table " + catalog + "." + name + " " + type + " " + owner + " " + location + " (" +
         columns + ") (" + keys + ") " + identity;
}

std::string born(const std::string& event_2_3, const std::string& event_3_1,
                 const std::string& id_4_0) {
  return "<created:@" + event_2_3 + "|created:@" + event_3_1 + "|id:" + id_4_0 + ">";
}

std::string altered(const ExpectedTable& before, const ExpectedTable& after) {
  return "alter " + before.text() + " => " + after.text();
}

std::vector<Expectation> expected_databases_and_tables() {
  std::vector<Expectation> all;
  for (const auto& part : {databases(), created_tables(), altered_tables(), dropped_tables()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<Expectation> expected_ignored() {
  std::vector<Expectation> all;
  for (const char* event : {
           "58|65|61",    "59|66|62",    "-|67|63",               // inserts
           "63|77|73",    "-|-|74",      "64|78|75", "65|79|76",  // functions
           "110|142|146", "111|143|147",                          //
           "-|80|77",     "-|81|78",     "-|82|79",  "-|83|80",   // constraints
           "-|-|81",      "-|-|82",      "-|84|83",               //
           "-|92|91",     "-|95|93",     "-|93|92",               // transactions and a write id
           "-|94|-",      "-|96|-",      "-|97|-",                //
           "-|-|94",      "-|-|95",                               // column statistics
       }) {
    all.push_back({event, "ignored"});
  }
  return all;
}

}  // namespace hmsync::processor
