// Who reads nothing but the logs of paths and of the audit: what they say must add up to the stored
// paths and to whose the grants are.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/follower/memory_store.h"

namespace hmsync::simulation {

class LogReader {
 public:
  /// Reads on: what does not add up, or nothing.
  std::string read(const doubles::MemoryStore& store);
  /// As after a fail-over, which lost what was read.
  void begin_anew(const doubles::MemoryStore& store);

 private:
  struct Path {
    processor::TableName name;
    std::vector<std::string> values;
    std::string location;
    auto operator<=>(const Path&) const = default;
  };
  struct Right {
    std::string role;
    std::string action;
    processor::TableName name;
    std::string column;
    bool grant_option = false;
    bool suspended = false;
    auto operator<=>(const Right&) const = default;
  };

  static Path path_of(const processor::TableName& name, const std::vector<std::string>& values,
                      const processor::Location& location);
  static std::set<Path> paths_of(const doubles::ObjectMap& objects);
  static Right right_of(const doubles::MemoryGrant& grant);
  static std::map<int64_t, Right> rights_of(const doubles::MemoryStore& store);
  std::string apply(const doubles::PathChange& change, const doubles::MemoryStore& store);
  std::string apply(const doubles::AuditRow& row);

  std::set<Path> paths_;
  std::map<int64_t, Right> rights_;  ///< by the grant's id
  size_t path_changes_read_ = 0;
  size_t audit_read_ = 0;
};

}  // namespace hmsync::simulation
