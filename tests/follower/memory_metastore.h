// A metastore in memory, behind the follower's ports: objects, and a log of the events of every
// change to them, written by clients whose transactions may overlap. One thread; a copy is a
// backup.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "follower/metastore.h"
#include "tests/follower/metastore_change.h"
#include "tests/follower/metastore_effect.h"

namespace hmsync::doubles {

class MemoryMetastore : public follower::NotificationLog, public follower::ObjectReader {
 public:
  explicit MemoryMetastore(Generation generation = Generation::v3_1);

  /// Called before every port call with its name: may change the metastore, or throw.
  std::function<void(std::string_view)> before_call = [](std::string_view) {};
  /// Seconds since 1970 for events and creations. Unset: creations are numbered, so that no two
  /// have one identity, and events have no time.
  std::function<int64_t()> clock;
  /// By how much an answer of head() is too low (a 2.3.10 under several writers, for up to 0.15 s).
  std::function<int64_t()> head_falls_back_by = [] { return int64_t{0}; };

  processor::Location warehouse = {"hdfs", "nn:8020", "/wh"};
  std::optional<std::string> database_uuid = "uuid-1";  ///< 2.3: none
  /// Events are written apart from the operations, those of some refused ones too.
  bool plain = false;
  /// Whoever hands out an event id keeps others from it until the end of the transaction: 3.1 and
  /// 4.0 on PostgreSQL and such. Otherwise open transactions are given the same ids.
  bool locks_sequence = true;
  /// A late commit writes its own id as the head, lower than that of commits before it, so that ids
  /// are handed out again. Only without locks_sequence. A 2.3.10 on Derby with 6 clients does so
  /// now and then (2 of 240 tables were created and dropped under one id); its head stays below the
  /// largest id until the next event (by 1 after a burst of eight clients, a 3.1.3's by 5).
  bool sequence_goes_back = false;
  bool gzip_messages = false;  ///< what 4.0 writes unless told otherwise
  /// A restored 4.0 hands out table ids again that the lost history had used.
  bool restore_reuses_table_ids = false;

  size_t tables_a_page = 2;
  size_t events_a_page = SIZE_MAX;          ///< a page of more is cut, as by its bytes
  size_t most_events_an_answer = SIZE_MAX;  ///< a cap of the server's (4.0), not told in the page
  bool cuts_within_id = false;              ///< a page may end between two events of one id
  int32_t most_asked_after_a_cut = 0;
  std::string unreadable;      ///< a page with this table fails
  int64_t undeliverable = -1;  ///< an answer with this event fails
  /// Databases that listings leave out, with their tables, although they are there.
  std::set<std::string> unlisted;

  // Transactions.
  static constexpr int kRefused = 0;
  /// Begins: locks the objects, hands out the event ids (head + 1 and on), changes nothing that is
  /// seen. kRefused where refusal() has a reason; a plain listener may log it all the same.
  int begin(const Change& change, Delivery delivery = Delivery::sound);
  /// Objects and events become visible at once.
  void commit(int transaction);
  /// Its ids are handed out again: no generation was seen to leave a hole. `leaves_hole`: they are
  /// not.
  void abort(int transaction, bool leaves_hole = false);
  /// Why begin() would refuse it: against the objects as committed, a lock of an open transaction,
  /// or the sequence's.
  [[nodiscard]] std::optional<std::string> refusal(const Change& change) const;
  /// Whether only the end of other transactions is missing.
  [[nodiscard]] bool must_wait(const Change& change) const;
  [[nodiscard]] std::vector<int> open() const;
  /// Begins and commits. Throws std::logic_error where it is refused.
  void run(const Change& change, Delivery delivery = Delivery::sound);

  // History.
  [[nodiscard]] const std::vector<Committed>& history() const { return history_; }
  /// Objects are kept after each step of the history from now on, and are forgotten when off.
  void keep_history_of_objects(bool keep);
  /// After the step of this number; 0: before the first. Throws std::out_of_range where not kept.
  [[nodiscard]] const ObjectMap& objects_after(int64_t number) const;
  [[nodiscard]] int64_t generation_of_log() const { return generation_of_log_; }

  // Changes that begin and commit at once.
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
  /// Any event, whatever its message.
  void log_event(const std::string& type, const std::string& database, const std::string& table,
                 const std::string& message);

  // What leaves no event, or a wrong one.
  void change_owner(const std::string& database, const std::string& owner);
  void lose_table(const std::string& database, const std::string& table);
  /// A refused DROP TABLE that a plain listener logs.
  void log_refused_drop(const std::string& database, const std::string& table);

  // The log.
  void spoil_last_message() { events_.back().event.message = "{"; }
  [[nodiscard]] const std::string& last_message() const { return events_.back().event.message; }
  /// The next event gets the id of the last one, as concurrent clients of a 2.3.10 do.
  void share_last_id() { --head_; }
  void skip_ids(int64_t count) { head_ += count; }
  /// What a transaction that commits late does: its event is not in the log yet.
  void hide_last_event();
  void show_hidden_events();
  void clean_events() { events_.clear(); }
  /// Those with this id and smaller ones.
  void clean_events_up_to(int64_t id);
  void start_log_anew();
  /// Objects and log as they were when the copy was made; open transactions are lost.
  void restore(const MemoryMetastore& copy);
  /// Another metastore stands here: empty.
  void become_another(const std::optional<std::string>& uuid);

  [[nodiscard]] Generation generation() const { return generation_; }
  [[nodiscard]] const ObjectMap& objects() const { return objects_; }
  [[nodiscard]] int64_t now() const { return head_; }
  /// Of the smallest id that is still in the log.
  [[nodiscard]] std::optional<int64_t> oldest_event() const;

  int64_t head() override;
  /// Never ends between two events of one id, as the real reader's pages (but see above).
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

  struct Logged {
    processor::Event event;
    bool undeliverable = false;
  };
  struct Transaction {
    Effect effect;
    Delivery delivery = Delivery::sound;
  };

  [[nodiscard]] EffectContext context() const;
  [[nodiscard]] std::optional<std::string> lock_in_the_way(const Effect& effect) const;
  [[nodiscard]] bool waits_for_sequence(const Effect& effect) const;
  void hand_out_ids(Effect& effect) const;
  void log(const Effect& effect, Delivery delivery);
  void log_refused(const std::vector<processor::Event>& events, const std::string& kind);
  void record(Committed step);
  void insert(Logged logged);
  [[nodiscard]] bool listed(const std::string& database) const {
    return !unlisted.contains(database);
  }

  Generation generation_;
  ObjectMap objects_;
  std::vector<Logged> events_;  ///< by id; of one id in the order of their commits
  std::vector<Logged> hidden_;
  int64_t head_ = 0;
  int64_t next_creation_ = 1000;
  int64_t next_table_id_ = 1;
  bool cut_ = false;
  std::map<int, Transaction> open_;
  int last_transaction_ = 0;
  std::vector<Committed> history_;
  std::map<int64_t, std::shared_ptr<const ObjectMap>> objects_after_;
  bool keeps_objects_ = false;
  int64_t generation_of_log_ = 1;
};

}  // namespace hmsync::doubles
