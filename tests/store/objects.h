// Short ways to write what a metastore says.
#pragma once

#include <string>
#include <vector>

#include "processor/mutation.h"

namespace hmsync::store {

inline processor::Location at(const std::string& path) { return {"hdfs", "nn", path}; }

inline processor::TableName named(const std::string& database, const std::string& table) {
  return {processor::kDefaultCatalog, database, table};
}

inline processor::Database database(const std::string& name, const std::string& owner = "alice") {
  return {{processor::kDefaultCatalog, name},
          {owner, processor::OwnerType::user},
          at("/w/" + name + ".db"),
          ""};
}

inline processor::Table table(const std::string& in, const std::string& name,
                              const std::string& identity = "created:1") {
  processor::Table made;
  made.name = named(in, name);
  made.type = "MANAGED_TABLE";
  made.owner = {"alice", processor::OwnerType::user};
  made.location = at("/w/" + in + ".db/" + name);
  made.identity = identity;
  return made;
}

inline processor::Partition partition(const std::vector<std::string>& values,
                                      const std::string& path) {
  return {values, at(path)};
}

}  // namespace hmsync::store
