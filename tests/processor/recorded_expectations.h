// What each recorded event must decode to, written down by hand from the list of operations that
// were recorded and from what the metastore's versions do with them.
#pragma once

#include <string>
#include <vector>

namespace hmsync::processor {

/// Both texts may contain alternatives, `<2.3.10|3.1.3|4.0.1>`; `@N` stands for the time of event N
/// of the recording, in seconds.
struct Expectation {
  std::string event;   ///< its id in each version, `-` where the operation left none
  std::string change;  ///< as to_text() writes it
};

std::vector<Expectation> expected_databases_and_tables();
std::vector<Expectation> expected_partitions();
std::vector<Expectation> expected_names_and_locations();
std::vector<Expectation> expected_ignored();

/// A table as the recordings made them; the catalog is hive.
struct ExpectedTable {
  std::string name;
  std::string type = "<MANAGED_TABLE|MANAGED_TABLE|EXTERNAL_TABLE>";  ///< 4.0.1 translates
  std::string location;
  std::string identity;
  std::string owner = "alice:USER";
  std::string columns = "id,v";
  std::string keys = "";

  [[nodiscard]] std::string text(const std::string& catalog = "hive") const;
};

/// Identity of a table: 4.x has ids; before, its creation time counts, which is that of the event.
std::string born(const std::string& event_2_3, const std::string& event_3_1,
                 const std::string& id_4_0);
std::string altered(const ExpectedTable& before, const ExpectedTable& after);

/// 4.0.1 puts the directories of translated tables and of databases into the external warehouse.
inline const std::string kHouse = "hdfs://nn1:8020/warehouse<||-ext>";
/// The end of an alteration of a table that 4.0.1 translated to an external one.
inline const std::string kTranslated = "<|| translated>";

}  // namespace hmsync::processor
