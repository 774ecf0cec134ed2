// Messages as metastores write them, for doubles of theirs; as a 3.1.3 unless told otherwise.
#pragma once

#include <string>
#include <vector>

#include "processor/object.h"
#include "tests/follower/metastore_change.h"

namespace hmsync::doubles {

struct MessageStyle {
  Generation generation = Generation::v3_1;
  int64_t seconds = 1;                  ///< when it is written
  bool translated_to_external = false;  ///< the table of the message (4.0)
};

/// 2.3 names the database and tells no more.
std::string create_database_message(const processor::Database& database,
                                    const MessageStyle& style = {});
std::string alter_database_message(const processor::Database& before,
                                   const processor::Database& after, const MessageStyle& style);
std::string drop_database_message(const processor::DatabaseName& name,
                                  const MessageStyle& style = {});
std::string create_table_message(const processor::Table& table, const MessageStyle& style = {});
std::string drop_table_message(const processor::Table& table, const MessageStyle& style = {});
std::string alter_table_message(const processor::Table& before, const processor::Table& after,
                                const MessageStyle& style = {});
std::string add_partitions_message(const processor::Table& table,
                                   const std::vector<processor::Partition>& partitions,
                                   const MessageStyle& style = {});
std::string alter_partition_message(const processor::Table& table,
                                    const processor::Partition& before,
                                    const processor::Partition& after, const MessageStyle& style);
std::string drop_partitions_message(const processor::Table& table,
                                    const std::vector<std::vector<std::string>>& values,
                                    const MessageStyle& style = {});

/// As `gzip(json-2.0)` has it: base64 of gzip.
std::string packed_message(const std::string& json);

}  // namespace hmsync::doubles
