#include "hmsclient/snapshot_pages.h"

#include <algorithm>
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

NameRange whole(std::vector<std::string> names) {
  const size_t size = names.size();
  return {std::make_shared<const std::vector<std::string>>(std::move(names)), 0, size};
}

/// One unit for every `size` names.
template <typename MakeUnit>
void split(std::vector<std::string> names, size_t size, std::vector<Unit>& units,
           const MakeUnit& make_unit) {
  const NameRange all = whole(std::move(names));
  for (size_t begin = 0; begin < all.end; begin += size) {
    units.push_back(make_unit(NameRange{all.all, begin, std::min(begin + size, all.end)}));
  }
}

class UnitReader {
 public:
  UnitReader(Connection& connection, const PageSizes& sizes)
      : connection_(connection), sizes_(sizes) {}

  void operator()(const ListCatalogs&) {
    for (const std::string& catalog : read_catalogs(connection_)) {
      result_.next.emplace_back(ListDatabases{lower_case(catalog)});
    }
  }

  void operator()(const ListDatabases& unit) {
    std::vector<std::string> names = read_database_names(connection_, unit.catalog);
    result_.found.databases = static_cast<int64_t>(names.size());
    split(std::move(names), sizes_.databases, result_.next, [&](NameRange range) {
      return ReadDatabases{unit.catalog, std::move(range)};
    });
  }

  void operator()(const ReadDatabases& unit) {
    follower::SnapshotPage& page = begin_page();
    for (const std::string& name : unit.names.names()) {
      if (auto database = read_database(connection_, {unit.catalog, lower_case(name)})) {
        result_.next.emplace_back(ListTables{database->name});
        page.databases.push_back(std::move(*database));
      }
    }
  }

  void operator()(const ListTables& unit) {
    std::vector<std::string> names;
    try {
      names = read_table_names(connection_, unit.database);
    } catch (const Refusal&) {
      if (read_database(connection_, unit.database)) {
        throw;
      }
    }
    if (names.empty()) {
      begin_page();
    }
    result_.found.tables = static_cast<int64_t>(names.size());
    split(std::move(names), sizes_.tables, result_.next, [&](NameRange range) {
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
      std::vector<std::string> names = read_partition_names(connection_, table);
      const size_t size = names.size();
      if (size > room && size <= sizes_.partitions) {
        break;  // has room in the next page
      }
      ++done;
      result_.found.partitions += static_cast<int64_t>(size);
      if (size > sizes_.partitions) {
        split(std::move(names), sizes_.partitions, result_.next, [&](NameRange range) {
          return ReadPartitions{table, std::move(range)};
        });
      } else {
        add_partitions(table, names);
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

std::vector<std::string> NameRange::names() const {
  return {all->begin() + static_cast<std::ptrdiff_t>(begin),
          all->begin() + static_cast<std::ptrdiff_t>(end)};
}

Unit first_unit(const follower::Scope& scope) {
  if (!scope.database) {
    return ListCatalogs{};
  }
  const std::string catalog = lower_case(scope.database->catalog);
  const std::string database = lower_case(scope.database->database);
  if (!scope.table) {
    return ReadDatabases{catalog, whole({database})};
  }
  return ReadTables{{catalog, database}, whole({lower_case(*scope.table)})};
}

UnitResult read_unit(Connection& connection, const Unit& unit, const PageSizes& sizes) {
  UnitReader reader(connection, sizes);
  std::visit(reader, unit);
  return reader.take();
}

}  // namespace hmsync::hmsclient
