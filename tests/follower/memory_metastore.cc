#include "tests/follower/memory_metastore.h"

#include <algorithm>
#include <utility>

#include "follower/scope.h"
#include "processor/error.h"
#include "tests/follower/event_messages.h"

namespace hmsync::doubles {

using processor::DatabaseName;
using processor::Location;
using processor::TableName;

namespace {

Location below_warehouse(const std::string& rest) { return {"hdfs", "nn:8020", "/wh/" + rest}; }

Location table_location(const TableName& name) {
  return below_warehouse(name.database + ".db/" + name.table);
}

}  // namespace

void MemoryMetastore::log_event(const std::string& type, const std::string& database,
                                const std::string& table, const std::string& message) {
  processor::Event event;
  event.id = ++head_;
  event.type = type;
  event.catalog = "hive";
  event.database = database;
  if (!table.empty()) event.table = table;
  event.message = message;
  event.message_format = "json-0.2";
  events_.push_back(std::move(event));
}

void MemoryMetastore::create_database(const std::string& database) {
  processor::Database created;
  created.name.database = database;
  created.owner.name = "alice";
  created.location = below_warehouse(database + ".db");
  objects_.databases[created.name] = created;
  log_event("CREATE_DATABASE", database, "", create_database_message(created));
}

void MemoryMetastore::drop_database(const std::string& database) {
  std::vector<std::string> tables;
  for (const auto& [name, stored] : objects_.tables) {
    if (name.database == database) tables.push_back(name.table);
  }
  for (const std::string& table : tables) drop_table(database, table);
  const DatabaseName name{"hive", database};
  objects_.databases.erase(name);
  log_event("DROP_DATABASE", database, "", drop_database_message(name));
}

void MemoryMetastore::create_table(const std::string& database, const std::string& table,
                                   bool partitioned) {
  processor::Table created;
  created.name = {"hive", database, table};
  created.type = "MANAGED_TABLE";
  created.owner.name = "bob";
  created.location = table_location(created.name);
  created.identity = "created:" + std::to_string(next_creation_++);
  if (partitioned) created.partition_keys = {"dt"};
  objects_.tables[created.name] = {created, {}};
  log_event("CREATE_TABLE", database, table, create_table_message(created));
}

void MemoryMetastore::drop_table(const std::string& database, const std::string& table) {
  const auto node = objects_.tables.extract(TableName{"hive", database, table});
  log_event("DROP_TABLE", database, table, drop_table_message(node.mapped().table));
}

void MemoryMetastore::rename_table(const std::string& database, const std::string& table,
                                   const std::string& new_database, const std::string& new_table) {
  auto node = objects_.tables.extract(TableName{"hive", database, table});
  StoredTable& stored = node.mapped();
  const processor::Table before = stored.table;
  stored.table.name = {"hive", new_database, new_table};
  stored.table.location = table_location(stored.table.name);
  for (auto& [values, location] : stored.partitions) {
    location->path.replace(0, before.location->path.size(), stored.table.location->path);
  }
  node.key() = stored.table.name;
  log_event("ALTER_TABLE", new_database, new_table, alter_table_message(before, stored.table));
  objects_.tables.insert(std::move(node));
}

void MemoryMetastore::add_partition(const std::string& database, const std::string& table,
                                    const std::string& value) {
  StoredTable& stored = objects_.tables.at({"hive", database, table});
  Location location = *stored.table.location;
  location.path += "/dt=" + value;
  stored.partitions[{value}] = location;
  log_event("ADD_PARTITION", database, table,
            add_partitions_message(stored.table, {{{value}, location}}));
}

void MemoryMetastore::drop_partition(const std::string& database, const std::string& table,
                                     const std::string& value) {
  StoredTable& stored = objects_.tables.at({"hive", database, table});
  stored.partitions.erase({value});
  log_event("DROP_PARTITION", database, table, drop_partition_message(stored.table, {value}));
}

void MemoryMetastore::log_refused_drop(const std::string& database, const std::string& table) {
  const StoredTable& stored = objects_.tables.at({"hive", database, table});
  log_event("DROP_TABLE", database, table, drop_table_message(stored.table));
}

void MemoryMetastore::hide_last_event() {
  hidden_.push_back(events_.back());
  events_.pop_back();
}

void MemoryMetastore::show_hidden_events() {
  for (processor::Event& event : hidden_) {
    const auto after = std::find_if(events_.begin(), events_.end(),
                                    [&](const auto& other) { return other.id > event.id; });
    events_.insert(after, std::move(event));
  }
  hidden_.clear();
}

void MemoryMetastore::restore(const MemoryMetastore& copy) {
  objects_ = copy.objects_;
  events_ = copy.events_;
  head_ = copy.head_;
}

int64_t MemoryMetastore::head() {
  before_call("head");
  return head_;
}

follower::EventPage MemoryMetastore::events(const follower::EventRequest& request) {
  before_call("events");
  if (cut_) most_asked_after_a_cut = std::max(most_asked_after_a_cut, request.max_events);
  follower::EventPage page;
  for (const processor::Event& event : events_) {
    if (event.id <= request.after) continue;
    page.cut = page.events.size() == events_a_page;
    if (page.cut) break;
    if (std::cmp_equal(page.events.size(), request.max_events)) break;
    if (event.id == undeliverable) throw Error(ErrorKind::transient, "the answer broke off");
    page.events.push_back(event);
  }
  cut_ = page.cut;
  return page;
}

std::optional<std::string> MemoryMetastore::uuid() {
  before_call("uuid");
  return database_uuid;
}

bool MemoryMetastore::plain_listener() {
  before_call("plain_listener");
  return plain;
}

int64_t MemoryMetastore::count_tables() {
  before_call("count_tables");
  return static_cast<int64_t>(objects_.tables.size());
}

std::optional<processor::Database> MemoryMetastore::database(const DatabaseName& name) {
  before_call("database");
  const auto found = objects_.databases.find(name);
  if (found == objects_.databases.end()) return std::nullopt;
  return found->second;
}

std::optional<processor::Table> MemoryMetastore::table(const TableName& name) {
  before_call("table");
  const auto found = objects_.tables.find(name);
  if (found == objects_.tables.end()) return std::nullopt;
  return found->second.table;
}

/// Lists names first and reads objects later, page by page, as a real reader must: what is gone by
/// then is left out, and a table's partitions come in a page after the table.
class MemorySnapshotStream : public follower::SnapshotStream {
 public:
  MemorySnapshotStream(MemoryMetastore& metastore, const std::vector<follower::Scope>& scopes)
      : metastore_(metastore) {
    metastore_.before_call("list");
    for (const auto& [name, database] : metastore_.objects_.databases) {
      if (follower::contains(scopes, name)) databases_.push_back(name);
    }
    for (const auto& [name, stored] : metastore_.objects_.tables) {
      if (follower::contains(scopes, name)) tables_.push_back(name);
    }
  }

  std::optional<follower::SnapshotPage> next() override {
    follower::SnapshotPage page;
    metastore_.before_call("page");
    if (!databases_.empty()) {
      read_databases(page);
    } else if (!partitioned_.empty()) {
      read_partitions(page);
    } else if (!tables_.empty()) {
      read_tables(page);
    } else {
      return std::nullopt;
    }
    return page;
  }

  [[nodiscard]] follower::SnapshotProgress progress() const override { return {"tables", 0, 0}; }

 private:
  void read_databases(follower::SnapshotPage& page) {
    for (const DatabaseName& name : std::exchange(databases_, {})) {
      const auto found = metastore_.objects_.databases.find(name);
      if (found != metastore_.objects_.databases.end()) page.databases.push_back(found->second);
    }
  }

  void read_tables(follower::SnapshotPage& page) {
    const size_t count = std::min(tables_.size(), metastore_.tables_a_page);
    for (size_t i = 0; i < count; ++i) {
      if (tables_[i].table == metastore_.unreadable) {
        throw Error(ErrorKind::transient, "a table cannot be read");
      }
      const auto found = metastore_.objects_.tables.find(tables_[i]);
      if (found == metastore_.objects_.tables.end()) continue;
      page.tables.push_back(found->second.table);
      if (!found->second.table.partition_keys.empty()) partitioned_.push_back(tables_[i]);
    }
    tables_.erase(tables_.begin(), tables_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  void read_partitions(follower::SnapshotPage& page) {
    const TableName name = partitioned_.back();
    partitioned_.pop_back();
    const auto found = metastore_.objects_.tables.find(name);
    if (found == metastore_.objects_.tables.end()) return;
    follower::TablePartitions partitions{name, {}};
    for (const auto& [values, location] : found->second.partitions) {
      partitions.partitions.push_back({values, location});
    }
    page.partitions.push_back(std::move(partitions));
  }

  MemoryMetastore& metastore_;
  std::vector<DatabaseName> databases_;
  std::vector<TableName> tables_;
  std::vector<TableName> partitioned_;
};

std::unique_ptr<follower::SnapshotStream> MemoryMetastore::snapshot(
    const std::vector<follower::Scope>& scopes) {
  return std::make_unique<MemorySnapshotStream>(*this, scopes);
}

}  // namespace hmsync::doubles
