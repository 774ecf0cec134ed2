#include "hmsclient/object_conversion.h"

#include <utility>
#include <vector>

#include "processor/lower_case.h"

namespace hmsync::hmsclient {

namespace {

processor::Owner to_owner(const std::string& name, bool has_type, idl::PrincipalType::type type) {
  processor::Owner owner{name, processor::OwnerType::user};
  if (has_type && type == idl::PrincipalType::GROUP) {
    owner.type = processor::OwnerType::group;
  } else if (has_type && type == idl::PrincipalType::ROLE) {
    owner.type = processor::OwnerType::role;
  }
  return owner;
}

std::string created(bool has_time, int32_t seconds) {
  return has_time && seconds > 0 ? "created:" + std::to_string(seconds) : "";
}

std::vector<std::string> names_of(const std::vector<idl::FieldSchema>& fields) {
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (const idl::FieldSchema& field : fields) {
    names.push_back(processor::lower_case(field.name));
  }
  return names;
}

}  // namespace

processor::Database to_database(const idl::Database& database,
                                const processor::DatabaseName& name) {
  return {name, to_owner(database.ownerName, database.__isset.ownerType, database.ownerType),
          processor::normalize_location(database.locationUri),
          created(database.__isset.createTime, database.createTime)};
}

processor::Table to_table(const idl::Table& table, const processor::DatabaseName& in) {
  processor::Table converted;
  converted.name = {in.catalog, in.database, processor::lower_case(table.tableName)};
  converted.type = table.tableType;
  converted.owner = to_owner(table.owner, table.__isset.ownerType, table.ownerType);
  converted.location = processor::normalize_location(table.sd.location);
  converted.identity = table.__isset.id && table.id > 0
                           ? "id:" + std::to_string(table.id)
                           : created(table.__isset.createTime, table.createTime);
  converted.columns = names_of(table.sd.cols);
  converted.partition_keys = names_of(table.partitionKeys);
  return converted;
}

processor::Partition to_partition(const idl::Partition& partition) {
  return {partition.values, processor::normalize_location(partition.sd.location)};
}

}  // namespace hmsync::hmsclient
