#include "tests/processor/recorded_expectations.h"

namespace hmsync::processor {
namespace {

const std::string kFacts = kHouse + "/sales.db/facts";
const std::string kClicks = "s3a://lake/root/clicks";
const std::string kTruncated = "s3a://lake/root/truncp";

std::string with_day(const std::string& day) {
  return "; partition [" + day + "] " + kFacts + "/ds=" + day;
}

std::vector<Expectation> added() {
  const std::string to_facts = "add to hive.sales.facts";
  std::string odd = to_facts;
  odd += "; partition [a/b] " + kFacts + "/ds=a%2Fb";
  odd += "; partition [x=y] " + kFacts + "/ds=x%3Dy";
  odd += "; partition [50%] " + kFacts + "/ds=50%25";
  odd += "; partition [two words] " + kFacts + "/ds=two words";
  odd += "; partition [ü 漢] " + kFacts + "/ds=ü 漢";
  odd += "; partition [q'uote\"] " + kFacts + "/ds=q%27uote%22";
  odd += "; partition [a:b] " + kFacts + "/ds=a%3Ab";
  odd += "; partition [__HIVE_DEFAULT_PARTITION__] " + kFacts + "/ds=__HIVE_DEFAULT_PARTITION__";
  std::string many = "add to hive.sales.many";
  for (int i = 0; i < 500; ++i) {
    many += "; partition [" + std::to_string(i) + "] hdfs://nn1:8020/many/" + std::to_string(i);
  }
  return {
      {"29|36|34", to_facts + with_day("2024-01-01")},
      {"30|37|35", to_facts + "; partition [2024-01-02] hdfs://nn1:8020/elsewhere/p2"},
      {"31|38|36",
       to_facts + with_day("2024-02-01") + with_day("2024-02-02") + with_day("2024-02-03")},
      {"32|39|37", to_facts + with_day("2024-02-04")},  // if not exists, 1 old and 1 new
      {"33|40|38", to_facts},                           // if not exists, only old ones
      {"34|41|39", to_facts + with_day("2024-03-01")},
      {"35|42|40", "add to hive.lake.clicks; partition [2024-01-01|7] " + kClicks +
                       "/d1/h7; partition [2024-01-01|8] " + kClicks + "/ds=2024-01-01/hr=8"},
      {"36|43|41", odd},
      {"37|44|42", to_facts + with_day("größe")},
      {"39|46|44", many},
      {"62|70|66", "add to hive.lake.truncp; partition [a] " + kTruncated +
                       "/ds=a; partition [b] " + kTruncated + "/ds=b; partition [c] " + kTruncated +
                       "/ds=c"},
      {"88|120|117",
       "add to hive.lake.clicks; partition [x|0] s3a://lake/odd/a b"
       "; partition [x|1] s3a://lake/odd/a%20b; partition [x|2] s3a://lake/odd/ü"
       "; partition [x|3] s3a://lake/odd/a+b; partition [x|4] s3a://lake/odd/x=1/y=2"},
      {"108|140|144", "add to hive.gone.t2; partition [0] " + kHouse +
                          "/gone.db/t2/ds=0; partition [1] " + kHouse +
                          "/gone.db/t2/ds=1; partition [2] " + kHouse + "/gone.db/t2/ds=2"},
      // exchange: one made in a table of its own, then moved to facts
      {"51|58|56",
       "add to hive.sales.facts_stage; partition [ex] " + kHouse + "/sales.db/facts_stage/ds=ex"},
      {"52|59|57", to_facts + with_day("ex")},
      {"53|60|58", "drop from hive.sales.facts_stage; [ex]"},
  };
}

std::vector<Expectation> altered_and_dropped() {
  const std::string in_facts = "alter in hive.sales.facts; ";
  const std::string in_truncated = "alter in hive.lake.truncp; ";
  const std::string a = in_truncated + "[a] => partition [a] " + kTruncated + "/ds=a";
  const std::string b = in_truncated + "[b] => partition [b] " + kTruncated + "/ds=b";
  const std::string from_facts = "drop from hive.sales.facts; ";
  return {
      {"40|47|45", in_facts + "[2024-02-01] => partition [2024-02-01] s3a://bucket/p/2024-02-01"},
      {"41|48|46",
       in_facts + "[2024-02-02] => partition [2024-02-02] " + kFacts + "/ds=2024-02-02"},
      {"42|49|47", in_facts + "[2024-02-02] => partition [2024-02-02] hdfs://nn1:8020/batch/0"},
      {"43|50|48", in_facts + "[2024-02-03] => partition [2024-02-03] hdfs://nn1:8020/batch/1"},
      {"44|51|49",
       in_facts + "[2024-02-04] => partition [2024-02-99] " + kFacts + "/ds=2024-02-99"},
      {"45|52|50",  // an external table's directory stays
       "alter in hive.lake.clicks; [2024-01-01|8] => partition [2024-01-01|9] " + kClicks +
           "/ds=2024-01-01/hr=8"},
      // truncated, two events each
      {"-|73|69", a},
      {"-|74|70", a},
      {"-|75|71", b},
      {"-|76|72", b},
      {"54|61|59", from_facts + "[2024-01-01]"},
      // three in one call: one event each, until 4.0.1
      {"55|62|-", from_facts + "[2024-02-01]"},
      {"56|63|-", from_facts + "[2024-02-02]"},
      {"57|64|-", from_facts + "[2024-02-03]"},
      {"-|-|60", from_facts + "[2024-02-01]; [2024-02-02]; [2024-02-03]"},
  };
}

std::vector<Expectation> partitioned_tables() {
  const ExpectedTable many = {.name = "sales.many",
                              .type = "EXTERNAL_TABLE",
                              .location = "hdfs://nn1:8020/many",
                              .identity = born("38", "45", "13"),
                              .columns = "i",
                              .keys = "p"};
  ExpectedTable facts = {
      .name = "sales.facts", .location = kFacts, .identity = born("9", "14", "5"), .keys = "ds"};
  ExpectedTable wider = facts;
  wider.columns = "id,v,c3";
  ExpectedTable facts2 = wider;
  facts2.name = "sales.facts2";
  facts2.location = kHouse + "/sales.db/facts2";
  ExpectedTable archived = wider;
  archived.name = "archive.facts2";
  archived.location = kHouse + "/archive.db/facts2";
  ExpectedTable stage = wider;
  stage.name = "sales.facts_stage";
  stage.location = kHouse + "/sales.db/facts_stage";
  stage.identity = born("50", "57", "14");
  const ExpectedTable trunc = {.name = "lake.trunc",
                               .location = "s3a://lake/root/trunc",
                               .identity = born("60", "68", "15")};
  const ExpectedTable truncp = {.name = "lake.truncp",
                                .location = kTruncated,
                                .identity = born("61", "69", "16"),
                                .keys = "ds"};
  return {
      {"38|45|43", "create " + many.text()},
      {"46|53|51", altered(facts, wider) + kTranslated},  // a column added, with cascade
      {"47|54|52", altered(wider, facts2) + kTranslated},
      {"48|55|53", altered(facts2, archived) + kTranslated},
      {"49|56|54", altered(archived, wider) + kTranslated},
      {"50|57|55", "create " + stage.text()},
      {"60|68|64", "create " + trunc.text()},
      {"61|69|65", "create " + truncp.text()},
      {"-|71|67", altered(trunc, trunc) + kTranslated},
      {"-|72|68", altered(trunc, trunc) + kTranslated},
  };
}

}  // namespace

std::vector<Expectation> expected_partitions() {
  std::vector<Expectation> all;
  for (const auto& part : {added(), altered_and_dropped(), partitioned_tables()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace hmsync::processor
