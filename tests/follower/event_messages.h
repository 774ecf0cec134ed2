// Messages as a 3.1.3 writes them, for doubles of the metastore.
#pragma once

#include <string>
#include <vector>

#include "processor/object.h"

namespace hmsync::doubles {

std::string create_database_message(const processor::Database& database);
std::string drop_database_message(const processor::DatabaseName& name);
std::string create_table_message(const processor::Table& table);
std::string drop_table_message(const processor::Table& table);
std::string alter_table_message(const processor::Table& before, const processor::Table& after);
std::string add_partitions_message(const processor::Table& table,
                                   const std::vector<processor::Partition>& partitions);
std::string drop_partition_message(const processor::Table& table,
                                   const std::vector<std::string>& values);

}  // namespace hmsync::doubles
