#include "store/snapshot_page.h"

#include <map>

namespace hmsync::store {

namespace {

using processor::Location;
using processor::TableName;

constexpr size_t kBlock = 64 << 10;

/// Lines of COPY's text format.
class Lines {
 public:
  explicit Lines(const std::function<void(std::string_view)>& put) : put_(put) {}

  Lines& null() {
    separate();
    text_ += "\\N";
    return *this;
  }
  Lines& field(std::string_view value) {
    separate();
    for (const char c : value) {
      switch (c) {
        case '\\':
          text_ += "\\\\";
          break;
        case '\t':
          text_ += "\\t";
          break;
        case '\n':
          text_ += "\\n";
          break;
        case '\r':
          text_ += "\\r";
          break;
        default:
          text_ += c;
      }
    }
    return *this;
  }
  Lines& field_unless_empty(std::string_view value) {
    return value.empty() ? null() : field(value);
  }
  void end() {
    text_ += '\n';
    begun_ = false;
    if (text_.size() >= kBlock) flush();
  }
  void flush() {
    if (!text_.empty()) put_(text_);
    text_.clear();
  }

 private:
  void separate() {
    if (begun_) text_ += '\t';
    begun_ = true;
  }

  const std::function<void(std::string_view)>& put_;
  std::string text_;
  bool begun_ = false;
};

void path_line(Lines& lines, const std::string& id, const std::string& values,
               const std::optional<Location>& location) {
  lines.field(id).field(values);
  if (location) {
    lines.field_unless_empty(location->scheme).field_unless_empty(location->authority);
    lines.field(location->path);
  } else {
    lines.null().null().null();
  }
  lines.end();
}

/// Ids of the page's objects, from the sequence, and of the tables that were staged before.
class Ids {
 public:
  Ids(Connection& connection, const std::string& snapshot, const follower::SnapshotPage& page);

  [[nodiscard]] const std::string& of(const TableName& name) const { return ids_.at(name); }

 private:
  std::map<TableName, std::string> ids_;
};

Ids::Ids(Connection& connection, const std::string& snapshot, const follower::SnapshotPage& page) {
  std::vector<TableName> names;
  for (const auto& database : page.databases) {
    names.push_back({database.name.catalog, database.name.database, ""});
  }
  for (const auto& table : page.tables) names.push_back(table.name);
  if (!names.empty()) {
    const Result made = connection.query(
        "SELECT nextval('staging_object_numbers') FROM generate_series(1, $1::bigint)",
        {std::to_string(names.size())});
    for (size_t i = 0; i < names.size(); ++i) {
      ids_[names[i]] = made.text(static_cast<int>(i), 0);
    }
  }
  std::vector<std::string> catalogs, databases, tables;
  for (const auto& [table, partitions] : page.partitions) {
    if (ids_.contains(table)) continue;
    catalogs.push_back(table.catalog);
    databases.push_back(table.database);
    tables.push_back(table.table);
  }
  if (tables.empty()) return;
  const Result staged = connection.query(
      "SELECT catalog, database_name, table_name, o.object_id "
      "FROM unnest($2::text[], $3::text[], $4::text[]) AS i(catalog, database_name, table_name) "
      "LEFT JOIN staging_objects o USING (catalog, database_name, table_name) "
      "WHERE o.snapshot = $1",
      {snapshot, text_array(catalogs), text_array(databases), text_array(tables)});
  for (int row = 0; row < staged.rows(); ++row) {
    ids_[{std::string(staged.text(row, 0)), std::string(staged.text(row, 1)),
          std::string(staged.text(row, 2))}] = staged.text(row, 3);
  }
  for (size_t i = 0; i < tables.size(); ++i) {
    if (ids_.contains({catalogs[i], databases[i], tables[i]})) continue;
    throw Error(ErrorKind::transient, "the snapshot read partitions of " + databases[i] + "." +
                                          tables[i] + ", which it has not read itself");
  }
}

void copy_objects(Connection& connection, const std::string& snapshot,
                  const follower::SnapshotPage& page, const Ids& ids) {
  if (page.databases.empty() && page.tables.empty()) return;
  connection.copy_in(
      "COPY staging_objects (object_id, snapshot, catalog, database_name, table_name, type, owner, "
      "owner_type, identity) FROM STDIN",
      [&](const auto& put) {
        Lines lines(put);
        const auto line = [&](const TableName& name, std::string_view type,
                              const processor::Owner& owner, const std::string& identity) {
          lines.field(ids.of(name)).field(snapshot).field(name.catalog).field(name.database);
          lines.field(name.table).field(type).field_unless_empty(owner.name);
          lines.field(to_string(owner.type)).field(identity).end();
        };
        for (const auto& database : page.databases) {
          line({database.name.catalog, database.name.database, ""}, "", database.owner,
               database.identity);
        }
        for (const auto& table : page.tables) {
          line(table.name, table.type, table.owner, table.identity);
        }
        lines.flush();
      });
}

void copy_paths(Connection& connection, const follower::SnapshotPage& page, const Ids& ids) {
  connection.copy_in(
      "COPY staging_paths (object_id, partition_values, scheme, authority, path) FROM STDIN",
      [&](const auto& put) {
        Lines lines(put);
        for (const auto& database : page.databases) {
          if (!database.location) continue;
          path_line(lines, ids.of({database.name.catalog, database.name.database, ""}), "{}",
                    database.location);
        }
        for (const auto& table : page.tables) {
          if (table.location) path_line(lines, ids.of(table.name), "{}", table.location);
        }
        for (const auto& [table, partitions] : page.partitions) {
          const std::string& id = ids.of(table);
          for (const auto& partition : partitions) {
            path_line(lines, id, text_array(partition.values), partition.location);
          }
        }
        lines.flush();
      });
}

}  // namespace

void copy_page(Connection& connection, const std::string& snapshot,
               const follower::SnapshotPage& page) {
  const Ids ids(connection, snapshot, page);
  copy_objects(connection, snapshot, page, ids);
  copy_paths(connection, page, ids);
}

}  // namespace hmsync::store
