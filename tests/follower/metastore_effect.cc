#include "tests/follower/metastore_effect.h"

#include <algorithm>
#include <utility>

#include "tests/follower/event_messages.h"

namespace hmsync::doubles {

namespace {

using processor::Database;
using processor::DatabaseName;
using processor::Event;
using processor::Location;
using processor::Partition;
using processor::Table;
using processor::TableName;

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::vector<std::string> lower(std::vector<std::string> names) {
  for (std::string& name : names) name = lower(std::move(name));
  return names;
}

/// As names in a directory: these characters as %XX.
std::string escaped(const std::string& text) {
  constexpr std::string_view kSpecial = "\"#%'*/:=?\\{[]^\x7f";
  constexpr const char* kHex = "0123456789ABCDEF";
  if (text.empty()) return "__HIVE_DEFAULT_PARTITION__";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || kSpecial.find(c) != std::string_view::npos) {
      result += '%';
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    } else {
      result += c;
    }
  }
  return result;
}

std::string with_all_replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

Location below(Location location, const std::string& rest) {
  if (!location.path.ends_with('/')) location.path += '/';
  location.path += rest;
  return location;
}

/// A rename's directory is on the file system that the table's was on (HiveAlterHandler).
Location at_path_of(Location location, const Location& other) {
  location.path = other.path;
  return location;
}

class Planner {
 public:
  explicit Planner(const EffectContext& context) : context_(context) {}

  void operator()(const ddl::CreateDatabase& change);
  void operator()(const ddl::AlterDatabase& change);
  void operator()(const ddl::DropDatabase& change);
  void operator()(const ddl::CreateTable& change);
  void operator()(const ddl::AlterTable& change);
  void operator()(const ddl::DropTable& change);
  void operator()(const ddl::AddPartitions& change);
  void operator()(const ddl::AlterPartitions& change);
  void operator()(const ddl::RenamePartition& change);
  void operator()(const ddl::DropPartitions& change);
  void operator()(const ddl::ExchangePartition& change);
  void operator()(const ddl::OtherEvent& change);

  Effect take() { return std::move(effect_); }

 private:
  [[nodiscard]] bool is_2_3() const { return context_.generation == Generation::v2_3; }
  [[nodiscard]] bool is_4_0() const { return context_.generation == Generation::v4_0; }

  [[noreturn]] void refuse(const std::string& reason) {
    throw Refused(reason, std::move(effect_.events));
  }

  void begin(const std::string& kind, std::vector<TableName> touched) {
    effect_.kind = kind;
    effect_.touched = std::move(touched);
  }

  [[nodiscard]] MessageStyle style(const StoredTable& stored) const {
    return {context_.generation, context_.event_time, stored.translated};
  }
  [[nodiscard]] MessageStyle style() const { return {context_.generation, context_.event_time}; }

  void log(const std::string& type, const std::string& database, const std::string& table,
           const std::string& message) {
    Event event;
    event.time = context_.event_time;
    event.type = type;
    if (!is_2_3()) event.catalog = processor::kDefaultCatalog;
    if (!database.empty()) event.database = database;
    if (!table.empty()) event.table = table;
    const bool packed = is_4_0() && context_.gzip_messages;
    event.message = packed ? packed_message(message) : message;
    event.message_format = packed ? "gzip(json-2.0)" : "json-0.2";
    effect_.events.push_back(std::move(event));
  }
  void log(const std::string& type, const Table& table, const std::string& message) {
    log(type, table.name.database, table.name.table, message);
  }

  [[nodiscard]] const Database* find(const std::string& database) const {
    const auto found = context_.objects.databases.find({"hive", lower(database)});
    return found == context_.objects.databases.end() ? nullptr : &found->second;
  }
  const Database& database(const std::string& name) {
    const Database* found = find(name);
    if (found == nullptr) refuse("there is no database " + name);
    return *found;
  }
  /// Where its tables of this type are made: 4.0 keeps managed ones in its warehouse, wherever the
  /// database is.
  [[nodiscard]] Location home(const Database& in, const std::string& table_type) const {
    if (in.location && !(is_4_0() && table_type == "MANAGED_TABLE")) return *in.location;
    return below(context_.warehouse, in.name.database + ".db");
  }
  /// As it is when the change begins.
  const StoredTable& table(const std::string& database, const std::string& table) {
    const auto found = context_.objects.tables.find({"hive", lower(database), lower(table)});
    if (found == context_.objects.tables.end()) {
      refuse("there is no table " + database + "." + table);
    }
    return found->second;
  }
  [[nodiscard]] bool exists(const TableName& name) const {
    return context_.objects.tables.contains(name);
  }

  /// With a location, and as many values as there are keys.
  Partition completed(const Table& table, Partition partition) {
    if (partition.values.empty() || partition.values.size() != table.partition_keys.size()) {
      refuse("a partition's values are not those of the table's keys");
    }
    if (!partition.location && table.location) {
      partition.location = below(*table.location, partition_folder(table, partition.values));
    }
    return partition;
  }
  const std::optional<Location>& location_of(const StoredTable& stored,
                                             const std::vector<std::string>& values) {
    const auto found = stored.partitions.find(values);
    if (found == stored.partitions.end()) refuse("there is no such partition");
    return found->second;
  }

  void move(const ddl::AlterTable& change, const StoredTable& before, StoredTable& after);
  void drop(const StoredTable& stored) {
    effect_.tables[stored.table.name] = std::nullopt;
    log("DROP_TABLE", stored.table, drop_table_message(stored.table, style(stored)));
  }

  const EffectContext& context_;
  Effect effect_;
};

void Planner::operator()(const ddl::CreateDatabase& change) {
  Database created;
  created.name.database = lower(change.database);
  created.owner = change.owner;
  created.location =
      change.location ? *change.location : below(context_.warehouse, created.name.database + ".db");
  if (is_4_0()) created.identity = "created:" + std::to_string(context_.creation_seconds);
  begin("CREATE_DATABASE", {{"hive", created.name.database, ""}});
  Database told = created;
  told.name.database = change.database;
  log("CREATE_DATABASE", change.database, "", create_database_message(told, style()));
  if (find(change.database) != nullptr) {
    effect_.events.clear();  // seen with tables only
    refuse("the database " + change.database + " is there");
  }
  effect_.databases[created.name] = created;
}

void Planner::operator()(const ddl::AlterDatabase& change) {
  const Database& before = database(change.database);
  begin("ALTER_DATABASE", {{"hive", before.name.database, ""}});
  Database after = before;
  if (change.owner) after.owner = *change.owner;
  if (change.location && !is_2_3()) after.location = change.location;
  effect_.databases[after.name] = after;
  if (is_2_3() || (is_4_0() && after.owner == before.owner)) return;
  Database told = after;
  if (change.name) told.name.database = *change.name;
  log("ALTER_DATABASE", before.name.database, "", alter_database_message(before, told, style()));
}

void Planner::operator()(const ddl::DropDatabase& change) {
  const Database& dropped = database(change.database);
  begin("DROP_DATABASE", {{"hive", dropped.name.database, ""}});
  bool empty = true;
  for (const auto& [name, stored] : context_.objects.tables) {
    if (name.database != dropped.name.database) continue;
    empty = false;
    if (!change.cascade) break;
    effect_.touched.push_back(name);
    drop(stored);
  }
  log("DROP_DATABASE", dropped.name.database, "", drop_database_message(dropped.name, style()));
  if (!empty && !change.cascade) refuse("the database " + change.database + " is not empty");
  effect_.databases[dropped.name] = std::nullopt;
}

void Planner::operator()(const ddl::CreateTable& change) {
  StoredTable made;
  Table& created = made.table;
  created.name = {"hive", lower(change.database), lower(change.table)};
  created.type = change.type;
  created.owner = change.owner;
  if (is_2_3()) created.owner.type = processor::OwnerType::user;
  if (is_4_0() && created.type == "MANAGED_TABLE" && !change.transactional) {
    created.type = "EXTERNAL_TABLE";
    made.translated = true;
  } else if (is_4_0() && created.type == "MANAGED_TABLE" && change.location) {
    refuse("a managed table is in the warehouse only");
  }
  created.columns = lower(change.columns);
  created.partition_keys = lower(change.partition_keys);
  created.location = change.location;
  const Database* in = find(change.database);
  if (!created.location && created.type != "VIRTUAL_VIEW" && in != nullptr) {
    created.location = below(home(*in, created.type), created.name.table);
  }
  created.identity = is_4_0() ? "id:" + std::to_string(context_.table_id)
                              : "created:" + std::to_string(context_.creation_seconds);
  begin("CREATE_TABLE", {created.name});
  Table told = created;
  if (!is_4_0()) told.name = {"hive", change.database, change.table};
  const bool refused = in == nullptr || exists(created.name);
  if (refused) told.location = change.location;  // what a plain listener tells is as it was sent
  log("CREATE_TABLE", told, create_table_message(told, style(made)));
  if (refused) refuse("there is such a table, or no such database");
  effect_.tables[created.name] = std::move(made);
}

/// Where a rename takes the directory: only that of a table that is not external, lies directly
/// below its database's (a translated one anywhere, 4.0.1), and is given no other location in the
/// same call.
void Planner::move(const ddl::AlterTable& change, const StoredTable& before, StoredTable& after) {
  const Database& from = database(before.table.name.database);
  const Database& to = database(after.table.name.database);
  const std::string& type = before.table.type;
  const bool movable = type != "VIRTUAL_VIEW" && (type != "EXTERNAL_TABLE" || before.translated);
  if (!movable || change.location || !before.table.location ||
      (!before.translated &&
       before.table.location->path != below(home(from, type), before.table.name.table).path)) {
    return;
  }
  const std::string old_path = before.table.location->path;
  after.table.location =
      at_path_of(*before.table.location, below(home(to, type), after.table.name.table));
  for (auto& [values, location] : after.partitions) {
    if (!location) continue;
    location->path = with_all_replaced(location->path, old_path, after.table.location->path);
  }
}

void Planner::operator()(const ddl::AlterTable& change) {
  const StoredTable& before = table(change.database, change.table);
  StoredTable after = before;
  const std::string told_database = change.new_database.value_or(before.table.name.database);
  const std::string told_table = change.new_table.value_or(before.table.name.table);
  after.table.name = {"hive", lower(told_database), lower(told_table)};
  begin("ALTER_TABLE", {before.table.name});
  if (change.location && is_4_0() && after.table.type == "MANAGED_TABLE") {
    refuse("a managed table is in the warehouse only");
  }
  if (change.owner) after.table.owner = *change.owner;
  if (is_2_3()) after.table.owner.type = processor::OwnerType::user;
  if (change.location) after.table.location = change.location;
  if (change.columns) after.table.columns = lower(*change.columns);
  if (after.table.name != before.table.name) {
    effect_.touched.push_back(after.table.name);
    database(told_database);
    if (exists(after.table.name)) refuse("the table " + told_table + " is there");
    move(change, before, after);
    effect_.tables[before.table.name] = std::nullopt;
  }
  effect_.tables[after.table.name] = after;
  Table told = after.table;
  told.name = {"hive", told_database, told_table};
  log("ALTER_TABLE", told, alter_table_message(before.table, told, style(before)));
}

void Planner::operator()(const ddl::DropTable& change) {
  const StoredTable& dropped = table(change.database, change.table);
  begin("DROP_TABLE", {dropped.table.name});
  drop(dropped);
}

void Planner::operator()(const ddl::AddPartitions& change) {
  StoredTable stored = table(change.database, change.table);
  begin("ADD_PARTITION", {stored.table.name});
  std::vector<Partition> added;
  for (const Partition& each : change.partitions) {
    Partition partition = completed(stored.table, each);
    if (!stored.partitions.emplace(partition.values, partition.location).second) {
      if (change.if_not_exists) continue;
      // What a plain listener tells is as it was sent (3.1.3).
      log("ADD_PARTITION", stored.table,
          add_partitions_message(stored.table, change.partitions, style(stored)));
      refuse("a partition is there");
    }
    added.push_back(std::move(partition));
  }
  log("ADD_PARTITION", stored.table, add_partitions_message(stored.table, added, style(stored)));
  effect_.tables[stored.table.name] = std::move(stored);
}

void Planner::operator()(const ddl::AlterPartitions& change) {
  StoredTable stored = table(change.database, change.table);
  begin("ALTER_PARTITION", {stored.table.name});
  for (const Partition& after : change.partitions) {
    const Partition before{after.values, location_of(stored, after.values)};
    Partition told = after;
    if (!told.location) told.location = before.location;
    stored.partitions[told.values] = told.location;
    log("ALTER_PARTITION", stored.table,
        alter_partition_message(stored.table, before, told, style(stored)));
  }
  effect_.tables[stored.table.name] = std::move(stored);
}

void Planner::operator()(const ddl::RenamePartition& change) {
  StoredTable stored = table(change.database, change.table);
  begin("ALTER_PARTITION", {stored.table.name});
  const Partition before{change.from, location_of(stored, change.from)};
  Partition after{change.to, before.location};
  const Partition at_home = completed(stored.table, {change.to, std::nullopt});
  if (stored.partitions.contains(change.to)) refuse("a partition is there");
  const bool movable = stored.table.type == "MANAGED_TABLE" || stored.translated;
  if (movable && before.location && at_home.location) {
    after.location = at_path_of(*before.location, *at_home.location);
  }
  stored.partitions.erase(change.from);
  stored.partitions[after.values] = after.location;
  log("ALTER_PARTITION", stored.table,
      alter_partition_message(stored.table, before, after, style(stored)));
  effect_.tables[stored.table.name] = std::move(stored);
}

void Planner::operator()(const ddl::DropPartitions& change) {
  StoredTable stored = table(change.database, change.table);
  begin("DROP_PARTITION", {stored.table.name});
  std::vector<std::vector<std::string>> dropped;
  for (const std::vector<std::string>& values : change.values) {
    if (stored.partitions.erase(values) > 0) {
      dropped.push_back(values);
    } else if (!change.if_exists) {
      refuse("there is no such partition");
    }
  }
  if (is_4_0() && !dropped.empty()) {
    log("DROP_PARTITION", stored.table,
        drop_partitions_message(stored.table, dropped, style(stored)));
  } else {
    for (const std::vector<std::string>& values : dropped) {
      log("DROP_PARTITION", stored.table,
          drop_partitions_message(stored.table, {values}, style(stored)));
    }
  }
  effect_.tables[stored.table.name] = std::move(stored);
}

void Planner::operator()(const ddl::ExchangePartition& change) {
  StoredTable from = table(change.database, change.table);
  StoredTable to = table(change.new_database, change.new_table);
  begin("DROP_PARTITION", {from.table.name, to.table.name});
  location_of(from, change.values);
  const Partition added = completed(to.table, {change.values, std::nullopt});
  if (!to.partitions.emplace(added.values, added.location).second) refuse("a partition is there");
  from.partitions.erase(change.values);
  log("ADD_PARTITION", to.table, add_partitions_message(to.table, {added}, style(to)));
  log("DROP_PARTITION", from.table,
      drop_partitions_message(from.table, {change.values}, style(from)));
  effect_.tables[from.table.name] = std::move(from);
  effect_.tables[to.table.name] = std::move(to);
}

void Planner::operator()(const ddl::OtherEvent& change) {
  begin(change.type, {});
  if (!change.database.empty()) {
    effect_.touched = {{"hive", lower(change.database), lower(change.table)}};
  }
  log(change.type, change.database, change.table, change.message);
  if (change.database.empty()) effect_.events.back().catalog.reset();
}

}  // namespace

std::string partition_folder(const Table& table, const std::vector<std::string>& values) {
  std::string folder;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) folder += '/';
    folder += escaped(table.partition_keys.at(i)) + "=" + escaped(values[i]);
  }
  return folder;
}

Effect effect_of(const Change& change, const EffectContext& context) {
  Planner planner(context);
  std::visit(planner, change);
  return planner.take();
}

}  // namespace hmsync::doubles
