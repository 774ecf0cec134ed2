#include "hmsclient/snapshot_pages.h"

#include <algorithm>
#include <map>
#include <utility>

#include "hmsclient/metastore_calls.h"
#include "hmsclient/thrift_error.h"
#include "processor/lower_case.h"

namespace hmsync::hmsclient {

namespace {

using processor::DatabaseName;
using processor::lower_case;
using processor::TableName;

constexpr size_t kMostTablesOfPartitions = 10;

using Names = std::shared_ptr<const NameSpool>;

/// What `list` tells of to the function that it is given.
template <typename List>
Names names_of(const List& list) {
  const auto names = std::make_shared<NameSpool>();
  list([&](const std::string& name) { names->add(name); });
  names->finish();
  return names;
}

/// One unit for every `size` names.
template <typename MakeUnit>
void split(const Names& names, size_t size, std::vector<Unit>& units, const MakeUnit& make_unit) {
  for (size_t begin = 0; begin < names->size(); begin += size) {
    units.push_back(make_unit(NameRange{names, begin, std::min(begin + size, names->size())}));
  }
}

/// What is asked for, each once.
struct ScopeNames {
  explicit ScopeNames(const std::vector<follower::Scope>& scopes) : everything(scopes.empty()) {
    std::set<DatabaseName> whole;
    for (const follower::Scope& scope : scopes) {
      if (!scope.database) {
        (scope.databases_only ? own_rows : everything) = true;
        continue;
      }
      const DatabaseName name{lower_case(scope.database->catalog),
                              lower_case(scope.database->database)};
      if (scope.table) {
        tables[name].insert(lower_case(*scope.table));
      } else {
        whole.insert(name);
      }
    }
    databases = std::make_shared<const std::set<DatabaseName>>(std::move(whole));
  }

  bool everything = false;
  bool own_rows = false;
  std::shared_ptr<const std::set<DatabaseName>> databases;
  std::map<DatabaseName, std::set<std::string>> tables;
};

class UnitReader {
 public:
  UnitReader(Connection& connection, const PageSizes& sizes)
      : connection_(connection), sizes_(sizes) {}

  void operator()(const ListCatalogs& unit) {
    for (const std::string& catalog : read_catalogs(connection_)) {
      result_.next.emplace_back(ListDatabases{lower_case(catalog), unit.own_rows});
    }
  }

  void operator()(const ListDatabases& unit) {
    const Names names = names_of([&](const TakeName& take) {
      read_database_names(connection_, unit.catalog, [&](const std::string& name) {
        if (!unit.own_rows || !unit.own_rows->but->contains({unit.catalog, lower_case(name)})) {
          take(name);
        }
      });
    });
    result_.found.databases = static_cast<int64_t>(names->size());
    split(names, sizes_.databases, result_.next, [&](NameRange range) {
      return ReadDatabases{unit.catalog, std::move(range), unit.own_rows.has_value()};
    });
  }

  void operator()(const ReadDatabases& unit) {
    follower::SnapshotPage& page = begin_page();
    for (const std::string& name : unit.names.names()) {
      if (auto database = read_database(connection_, {unit.catalog, lower_case(name)})) {
        if (!unit.own_rows) {
          result_.next.emplace_back(ListTables{database->name});
        }
        page.databases.push_back(std::move(*database));
      }
    }
  }

  void operator()(const ListTables& unit) {
    const Names names =
        names_of([&](const TakeName& take) { read_table_names(connection_, unit.database, take); });
    if (names->size() == 0) {
      begin_page();
    }
    result_.found.tables = static_cast<int64_t>(names->size());
    split(names, sizes_.tables, result_.next, [&](NameRange range) {
      return ReadTables{unit.database, std::move(range)};
    });
  }

  void operator()(const ReadTables& unit) {
    follower::SnapshotPage& page = begin_page();
    page.tables = read_tables(connection_, unit.database, unit.names.names());
    ReadPartitionsOf partitioned;
    for (const processor::Table& table : page.tables) {
      if (!table.partition_keys.empty()) {
        partitioned.tables.push_back(table.name);
      }
    }
    if (!partitioned.tables.empty()) {
      result_.next.emplace_back(std::move(partitioned));
    }
  }

  void operator()(const ReadPartitionsOf& unit) {
    begin_page();
    size_t done = 0;
    size_t room = sizes_.partitions;
    const size_t most = std::min(unit.tables.size(), kMostTablesOfPartitions);
    while (done < most && room > 0) {
      const TableName& table = unit.tables[done];
      const Names names =
          names_of([&](const TakeName& take) { read_partition_names(connection_, table, take); });
      const size_t size = names->size();
      if (size > room && size <= sizes_.partitions) {
        break;  // has room in the next page
      }
      ++done;
      result_.found.partitions += static_cast<int64_t>(size);
      if (size > sizes_.partitions) {
        split(names, sizes_.partitions, result_.next, [&](NameRange range) {
          return ReadPartitions{table, std::move(range)};
        });
      } else {
        add_partitions(table, names->read(0, size));
        room -= size;
      }
    }
    if (done < unit.tables.size()) {
      result_.next.emplace_back(ReadPartitionsOf{
          {unit.tables.begin() + static_cast<std::ptrdiff_t>(done), unit.tables.end()}});
    }
  }

  void operator()(const ReadPartitions& unit) {
    begin_page();
    add_partitions(unit.table, unit.names.names());
  }

  UnitResult take() { return std::move(result_); }

 private:
  follower::SnapshotPage& begin_page() { return result_.page.emplace(); }

  void add_partitions(const TableName& table, const std::vector<std::string>& names) {
    if (names.empty()) {
      return;
    }
    auto partitions = read_partitions(connection_, table, names);
    if (!partitions.empty()) {
      result_.page->partitions.push_back({table, std::move(partitions)});
    }
  }

  Connection& connection_;
  const PageSizes& sizes_;
  UnitResult result_;
};

}  // namespace

UnitResult first_units(const std::vector<follower::Scope>& scopes, const PageSizes& sizes) {
  const ScopeNames asked(scopes);
  UnitResult result;
  if (asked.everything) {
    result.next.emplace_back(ListCatalogs{});
    return result;
  }
  if (asked.own_rows) {
    result.next.emplace_back(ListCatalogs{OwnRows{asked.databases}});
  }
  std::map<std::string, std::vector<std::string>> by_catalog;
  for (const DatabaseName& name : *asked.databases) {
    by_catalog[name.catalog].push_back(name.database);
    ++result.found.databases;
  }
  for (const auto& [catalog, names] : by_catalog) {
    split(std::make_shared<NameSpool>(names), sizes.databases, result.next,
          [&at = catalog](NameRange range) {
            return ReadDatabases{at, std::move(range)};
          });
  }
  for (const auto& [database, names] : asked.tables) {
    if (asked.databases->contains(database)) {
      continue;
    }
    result.found.tables += static_cast<int64_t>(names.size());
    split(std::make_shared<NameSpool>(std::vector<std::string>(names.begin(), names.end())),
          sizes.tables, result.next, [&in = database](NameRange range) {
            return ReadTables{in, std::move(range)};
          });
  }
  return result;
}

UnitResult read_unit(Connection& connection, const Unit& unit, const PageSizes& sizes) {
  UnitReader reader(connection, sizes);
  std::visit(reader, unit);
  return reader.take();
}

}  // namespace hmsync::hmsclient
