// A metastore in memory, behind the follower's ports: objects, and a log of the events of every
// change to them. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "follower/metastore.h"

namespace hmsync::doubles {

using PartitionMap = std::map<std::vector<std::string>, std::optional<processor::Location>>;

struct StoredTable {
  processor::Table table;
  PartitionMap partitions;
  auto operator<=>(const StoredTable&) const = default;
};

/// What metastore and store are compared by.
struct ObjectMap {
  std::map<processor::DatabaseName, processor::Database> databases;
  std::map<processor::TableName, StoredTable> tables;
  auto operator<=>(const ObjectMap&) const = default;
};

class MemoryMetastore : public follower::NotificationLog, public follower::ObjectReader {
 public:
  /// Called before every port call with its name: may change the metastore, or throw.
  std::function<void(std::string_view)> before_call = [](std::string_view) {};
  std::optional<std::string> database_uuid = "uuid-1";
  bool plain = false;
  size_t tables_a_page = 2;
  size_t events_a_page = SIZE_MAX;  ///< a page of more is cut, as by its bytes
  int32_t most_asked_after_a_cut = 0;
  std::string unreadable;      ///< a page with this table fails
  int64_t undeliverable = -1;  ///< an answer with this event fails

  void create_database(const std::string& database);
  /// With all its tables, as a cascade writes it.
  void drop_database(const std::string& database);
  void create_table(const std::string& database, const std::string& table,
                    bool partitioned = false);
  void drop_table(const std::string& database, const std::string& table);
  /// A managed rename: location and partitions below it move.
  void rename_table(const std::string& database, const std::string& table,
                    const std::string& new_database, const std::string& new_table);
  void add_partition(const std::string& database, const std::string& table,
                     const std::string& value);
  void drop_partition(const std::string& database, const std::string& table,
                      const std::string& value);
  void change_owner(const std::string& database, const std::string& owner) {
    objects_.databases.at({"hive", database}).owner.name = owner;
  }
  void lose_table(const std::string& database, const std::string& table) {
    objects_.tables.erase({"hive", database, table});
  }
  /// A refused DROP TABLE that a plain listener logs.
  void log_refused_drop(const std::string& database, const std::string& table);
  /// Any event, whatever its message.
  void log_event(const std::string& type, const std::string& database, const std::string& table,
                 const std::string& message);

  void spoil_last_message() { events_.back().message = "{"; }
  [[nodiscard]] const std::string& last_message() const { return events_.back().message; }
  /// The next event gets the id of the last one, as concurrent clients of a 2.3.10 do.
  void share_last_id() { --head_; }
  void skip_ids(int64_t count) { head_ += count; }
  /// What a transaction that commits late does: its event is not in the log yet.
  void hide_last_event();
  void show_hidden_events();
  /// Objects and log as they were when the copy was made.
  void restore(const MemoryMetastore& copy);
  void clean_events() { events_.clear(); }
  void start_log_anew() {
    events_.clear();
    head_ = 0;
  }
  [[nodiscard]] const ObjectMap& objects() const { return objects_; }
  [[nodiscard]] int64_t now() const { return head_; }

  int64_t head() override;
  follower::EventPage events(const follower::EventRequest& request) override;
  std::optional<std::string> uuid() override;
  bool plain_listener() override;
  std::unique_ptr<follower::SnapshotStream> snapshot(
      const std::vector<follower::Scope>& scopes) override;
  std::optional<processor::Database> database(const processor::DatabaseName& name) override;
  std::optional<processor::Table> table(const processor::TableName& name) override;
  int64_t count_tables() override;

 private:
  friend class MemorySnapshotStream;

  ObjectMap objects_;
  std::vector<processor::Event> events_;
  std::vector<processor::Event> hidden_;
  int64_t head_ = 0;
  int64_t next_creation_ = 1000;
  bool cut_ = false;
};

}  // namespace hmsync::doubles
