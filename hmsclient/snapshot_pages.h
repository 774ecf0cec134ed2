// The work of a snapshot, cut into units that are read alone, and again alone when they fail. Not
// for use outside this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "follower/metastore.h"
#include "hmsclient/connection.h"
#include "hmsclient/name_spool.h"

namespace hmsync::hmsclient {

struct PageSizes {
  size_t databases = 10;
  size_t tables = 300;
  size_t partitions = 1000;
};

/// A part of a list of names that several units share.
struct NameRange {
  std::shared_ptr<const NameSpool> all;
  size_t begin = 0;
  size_t end = 0;

  [[nodiscard]] std::vector<std::string> names() const { return all->read(begin, end); }
};

/// Databases without their tables.
struct OwnRows {
  std::shared_ptr<const std::set<processor::DatabaseName>> but;  ///< are read by other units
};

struct ListCatalogs {
  std::optional<OwnRows> own_rows = std::nullopt;
};
struct ListDatabases {
  std::string catalog;
  std::optional<OwnRows> own_rows = std::nullopt;
};
struct ReadDatabases {
  std::string catalog;
  NameRange names;
  bool own_rows = false;
};
struct ListTables {
  processor::DatabaseName database;
};
struct ReadTables {
  processor::DatabaseName database;
  NameRange names;
};
/// Several tables share a page while their partitions fit in, but not many, since each is a call or
/// two: whoever waits for the page must see it come.
struct ReadPartitionsOf {
  std::vector<processor::TableName> tables;
};
struct ReadPartitions {
  processor::TableName table;
  NameRange names;
};

using Unit = std::variant<ListCatalogs, ListDatabases, ReadDatabases, ListTables, ReadTables,
                          ReadPartitionsOf, ReadPartitions>;

/// How many objects a unit has found that other units will read, or that its own page has.
struct Found {
  int64_t databases = 0;
  int64_t tables = 0;
  int64_t partitions = 0;
};

struct UnitResult {
  /// Without objects where nothing was found: it shows that reading goes on.
  std::optional<follower::SnapshotPage> page;
  /// Only after the page was handed on: a table comes before its partitions.
  std::vector<Unit> next;
  Found found;
};

/// No object is read by two of them, whatever the scopes are. None is everything.
UnitResult first_units(const std::vector<follower::Scope>& scopes, const PageSizes& sizes);

/// Safe to run again after a failure. What is gone meanwhile is left out.
UnitResult read_unit(Connection& connection, const Unit& unit, const PageSizes& sizes);

}  // namespace hmsync::hmsclient
