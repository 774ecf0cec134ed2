#include "tests/processor/recorded_expectations.h"

namespace hmsync::processor {
namespace {

struct OddLocation {
  const char* table;
  const char* event;
  std::string identity;
  const char* location;  // as the metastore stores what the client sent, then normalised
};

std::vector<Expectation> odd_locations() {
  const std::vector<OddLocation> all = {
      {"loc00", "66|98|96", born("66", "98", "19"), "hdfs://nn1:8020/with space/t x"},
      {"loc01", "67|99|97", born("67", "99", "20"), "hdfs://nn1:8020/pct%20enc/a%2Fb%25"},
      {"loc02", "68|100|98", born("68", "100", "21"), "hdfs://nn1:8020/uni/größe/漢字/😀"},
      {"loc03", "69|101|99", born("69", "101", "22"), "hdfs://nn1/noport/x"},
      {"loc04", "70|102|100", born("70", "102", "23"), "hdfs:/noauth/x"},
      {"loc05", "71|103|101", born("71", "103", "24"), "file:/schemeless/x"},
      {"loc06", "72|104|102", born("72", "104", "25"), "s3a://bucket-a/Key With Space/x"},
      {"loc07", "73|105|103", born("73", "105", "26"), "s3://bucket/k"},
      {"loc08", "74|106|104", born("74", "106", "27"),
       "abfss://cont@acct.dfs.core.windows.net/p/x"},
      {"loc09", "75|107|105", born("75", "107", "28"), "gs://gbucket/x"},
      {"loc10", "76|108|106", born("76", "108", "29"), "file:/var/tmp/hms-sample/one slash"},
      {"loc11", "77|109|107", born("77", "109", "30"), "file:/var/tmp/hms-sample/three"},
      {"loc12", "78|110|108", born("78", "110", "31"), "hdfs://nn1:8020/trailing/slash"},
      {"loc13", "79|111|109", born("79", "111", "32"), "hdfs://nn1:8020/double/slash"},
      {"loc14", "80|112|110", born("80", "112", "33"), "hdfs://NN1.Example.COM:8020/UpperCase"},
      {"loc15", "81|113|111", born("81", "113", "34"), "hdfs://nn1:8020/b/c"},
      {"loc16", "82|114|112", born("82", "114", "35"), "hdfs://nn1:8020/plus+and&amp;x=1"},
      // 2.3.10 made this one in the second before its event's
      {"loc17", "83|115|113", born("82", "115", "36"), "hdfs://nn1:8020/quote's\"x"},
      {"loc18", "84|116|114", born("84", "116", "37"), "hdfs://nn1:8020/hash#frag?q=1"},
      {"loc19", "85|117|115", born("85", "117", "38"), "o3fs://b.v.om/x"},
      {"loc20", "86|118|116", born("86", "118", "39"), "viewfs://cl/x"},
      {"loc22", "87|119|-", born("87", "119", "-"), "s3a://bucketroot/"},
  };
  std::vector<Expectation> expectations;
  for (const OddLocation& odd : all) {
    const ExpectedTable table = {.name = std::string("lake.") + odd.table,
                                 .type = "EXTERNAL_TABLE",
                                 .location = odd.location,
                                 .identity = odd.identity};
    expectations.push_back({odd.event, "create " + table.text()});
  }
  return expectations;
}

struct OddName {
  std::string name;
  const char* event;
  std::string identity;
};

std::vector<Expectation> odd_names() {
  const std::vector<OddName> all = {
      {"two words", "-|-|118", born("-", "-", "40")},
      {"a-b", "-|-|119", born("-", "-", "41")},
      {"a.b", "-|-|120", born("-", "-", "42")},
      {"1st", "89|121|121", born("89", "121", "43")},
      {"_x", "90|122|122", born("90", "122", "44")},
      {"$dollar", "-|-|123", born("-", "-", "45")},
      {"semi;colon", "-|-|124", born("-", "-", "46")},
      {"quo'te", "-|-|125", born("-", "-", "47")},
      {std::string(128, 'x'), "91|123|126", born("91", "123", "48")},
      {std::string(200, 'y'), "92|124|127", born("92", "124", "49")},
      {"slash/x", "93|125|128", born("93", "125", "50")},
      {"select", "94|126|129", born("94", "126", "51")},
  };
  std::vector<Expectation> expectations;
  for (const OddName& odd : all) {
    const ExpectedTable table = {.name = "plain." + odd.name,
                                 .type = "EXTERNAL_TABLE",
                                 .location = "hdfs://nn1:8020/names/t",
                                 .identity = odd.identity};
    expectations.push_back({odd.event, "create " + table.text()});
  }
  return expectations;
}

std::vector<Expectation> odd_columns_and_owners() {
  const ExpectedTable columns = {.name = "plain.oddcols",
                                 .location = kHouse + "/plain.db/oddcols",
                                 .identity = born("95", "127", "52"),
                                 .columns = "größe,a b,x.y,up"};
  const ExpectedTable key = {.name = "plain.oddpk",
                             .location = kHouse + "/plain.db/oddpk",
                             .identity = born("96", "128", "53"),
                             .keys = "größe"};
  const ExpectedTable owner = {.name = "plain.odd_owner",
                               .location = kHouse + "/plain.db/odd_owner",
                               .identity = born("97", "129", "54"),
                               .owner = "jürgen müller@EXAMPLE.COM:USER"};
  return {
      {"95|127|130", "create " + columns.text()},
      {"96|128|131", "create " + key.text()},
      {"97|129|133", "create " + owner.text()},
  };
}

}  // namespace

std::vector<Expectation> expected_names_and_locations() {
  std::vector<Expectation> all;
  for (const auto& part : {odd_locations(), odd_names(), odd_columns_and_owners()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace hmsync::processor
