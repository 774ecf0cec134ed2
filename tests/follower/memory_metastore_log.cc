// The transactions and the log of the metastore's double.
#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "processor/digest.h"
#include "processor/error.h"
#include "tests/follower/memory_metastore.h"

namespace hmsync::doubles {

using processor::Event;
using processor::TableName;

namespace {

bool is_database(const TableName& name) { return name.table.empty(); }

/// Whether one of them must wait for the end of the other: the same object, or a database that is
/// dropped (its tables are touched too) or made under a table.
bool overlap(const Effect& one, const Effect& other) {
  for (const TableName& a : one.touched) {
    for (const TableName& b : other.touched) {
      if (a == b) return true;
      if (a.in_database() != b.in_database() || is_database(a) == is_database(b)) continue;
      const Effect& of_database = is_database(a) ? one : other;
      if (of_database.kind != "ALTER_DATABASE") return true;
    }
  }
  return false;
}

processor::WithheldMessage withheld(std::string_view message) {
  processor::MessageHash hash;
  hash.add(message);
  return {static_cast<int64_t>(message.size()), hash.take()};
}

/// As the real reader's: a page ends only between two ids, unless it is all of one.
struct PageLimits {
  const follower::EventRequest& request;
  size_t events_a_page;
  bool cuts_within_id;

  [[nodiscard]] bool reached(const follower::EventPage& page, int64_t bytes, int64_t next) const {
    const std::vector<Event>& events = page.events;
    if (events.empty()) return false;
    const bool full =
        events.size() >= events_a_page || bytes >= request.max_bytes ||
        (request.max_events > 0 && std::cmp_greater_equal(events.size(), request.max_events));
    const bool one_id = events.front().id == next;
    return full && (cuts_within_id || !one_id);
  }
};

}  // namespace

EffectContext MemoryMetastore::context() const {
  const int64_t now = clock ? clock() : 0;
  return {objects_,      warehouse, generation_, gzip_messages, now, clock ? now : next_creation_,
          next_table_id_};
}

std::optional<std::string> MemoryMetastore::lock_in_the_way(const Effect& effect) const {
  for (const auto& [number, other] : open_) {
    if (overlap(effect, other.effect)) {
      return "transaction " + std::to_string(number) + " has a lock on an object";
    }
    if (waits_for_sequence(effect) && !other.effect.events.empty()) {
      return "transaction " + std::to_string(number) + " has the lock of the event ids";
    }
  }
  return std::nullopt;
}

bool MemoryMetastore::waits_for_sequence(const Effect& effect) const {
  return locks_sequence && !plain && !effect.events.empty();
}

std::optional<std::string> MemoryMetastore::refusal(const Change& change) const {
  try {
    return lock_in_the_way(effect_of(change, context()));
  } catch (const Refused& refused) {
    return refused.what();
  }
}

bool MemoryMetastore::must_wait(const Change& change) const {
  try {
    return lock_in_the_way(effect_of(change, context())).has_value();
  } catch (const Refused&) {
    return false;
  }
}

void MemoryMetastore::hand_out_ids(Effect& effect) const {
  int64_t id = head_;
  for (Event& event : effect.events) event.id = ++id;
}

int MemoryMetastore::begin(const Change& change, Delivery delivery) {
  try {
    Transaction begun{effect_of(change, context()), delivery};
    if (lock_in_the_way(begun.effect)) return kRefused;
    if (!plain) hand_out_ids(begun.effect);
    if (std::holds_alternative<ddl::CreateTable>(change) ||
        std::holds_alternative<ddl::CreateDatabase>(change)) {
      ++next_creation_;
      ++next_table_id_;
    }
    open_.emplace(++last_transaction_, std::move(begun));
    return last_transaction_;
  } catch (const Refused& refused) {
    if (plain && !refused.logged.empty()) log_refused(refused.logged, refused.logged.back().type);
    return kRefused;
  }
}

void MemoryMetastore::commit(int transaction) {
  auto node = open_.extract(transaction);
  if (node.empty()) throw std::logic_error("no such transaction is open");
  Effect& effect = node.mapped().effect;
  for (const auto& [name, database] : effect.databases) {
    if (database) {
      objects_.databases[name] = *database;
    } else {
      objects_.databases.erase(name);
    }
  }
  for (const auto& [name, table] : effect.tables) {
    if (table) {
      objects_.tables[name] = *table;
    } else {
      objects_.tables.erase(name);
    }
  }
  if (plain) hand_out_ids(effect);
  log(effect, node.mapped().delivery);
}

void MemoryMetastore::abort(int transaction, bool leaves_hole) {
  auto node = open_.extract(transaction);
  if (node.empty()) throw std::logic_error("no such transaction is open");
  const std::vector<Event>& events = node.mapped().effect.events;
  if (leaves_hole && !events.empty()) head_ = std::max(head_, events.back().id);
}

std::vector<int> MemoryMetastore::open() const {
  std::vector<int> numbers;
  for (const auto& [number, transaction] : open_) numbers.push_back(number);
  return numbers;
}

void MemoryMetastore::run(const Change& change, Delivery delivery) {
  const int begun = begin(change, delivery);
  if (begun == kRefused) throw std::logic_error(refusal(change).value_or("refused"));
  commit(begun);
}

void MemoryMetastore::insert(Logged logged) {
  const auto before = std::find_if(events_.rbegin(), events_.rend(), [&](const Logged& other) {
    return other.event.id <= logged.event.id;
  });
  events_.insert(before.base(), std::move(logged));
}

void MemoryMetastore::log(const Effect& effect, Delivery delivery) {
  Committed step{.kind = effect.kind,
                 .touched = effect.touched,
                 .evented = !effect.events.empty(),
                 .delivery = delivery};
  for (Event event : effect.events) {
    step.event_ids.push_back(event.id);
    head_ = sequence_goes_back && !locks_sequence ? event.id : std::max(head_, event.id);
    if (delivery == Delivery::spoilt) event.message.resize(event.message.size() / 2);
    if (delivery == Delivery::withheld) {
      event.withheld = withheld(event.message);
      event.message.clear();
    }
    insert({std::move(event), delivery == Delivery::undeliverable});
  }
  record(std::move(step));
}

void MemoryMetastore::log_refused(const std::vector<Event>& events, const std::string& kind) {
  Committed step{.kind = kind, .evented = true, .refused = true};
  for (Event event : events) {
    event.id = ++head_;
    step.event_ids.push_back(event.id);
    step.touched.push_back({"hive", event.database.value_or(""), event.table.value_or("")});
    insert({std::move(event)});
  }
  record(std::move(step));
}

void MemoryMetastore::record(Committed step) {
  step.number = static_cast<int64_t>(history_.size()) + 1;
  step.generation_of_log = generation_of_log_;
  if (keeps_objects_) {
    objects_after_[step.number] = std::make_shared<const ObjectMap>(objects_);
  }
  history_.push_back(std::move(step));
}

void MemoryMetastore::keep_history_of_objects(bool keep) {
  keeps_objects_ = keep;
  objects_after_.clear();
  if (keep) {
    objects_after_[static_cast<int64_t>(history_.size())] =
        std::make_shared<const ObjectMap>(objects_);
  }
}

const ObjectMap& MemoryMetastore::objects_after(int64_t number) const {
  return *objects_after_.at(number);
}

void MemoryMetastore::hide_last_event() {
  hidden_.push_back(events_.back());
  events_.pop_back();
}

void MemoryMetastore::show_hidden_events() {
  for (Logged& logged : hidden_) insert(std::move(logged));
  hidden_.clear();
}

void MemoryMetastore::clean_events_up_to(int64_t id) {
  std::erase_if(events_, [&](const Logged& logged) { return logged.event.id <= id; });
}

std::optional<int64_t> MemoryMetastore::oldest_event() const {
  if (events_.empty()) return std::nullopt;
  return events_.front().event.id;
}

void MemoryMetastore::start_log_anew() {
  events_.clear();
  head_ = 0;
  ++generation_of_log_;
}

void MemoryMetastore::restore(const MemoryMetastore& copy) {
  objects_ = copy.objects_;
  events_ = copy.events_;
  head_ = copy.head_;
  if (restore_reuses_table_ids) next_table_id_ = copy.next_table_id_;
  open_.clear();
  hidden_.clear();
  ++generation_of_log_;
  record({.kind = "RESTORE"});
}

void MemoryMetastore::become_another(const std::optional<std::string>& uuid) {
  database_uuid = uuid;
  objects_ = {};
  open_.clear();
  hidden_.clear();
  start_log_anew();
  record({.kind = "ANOTHER_IDENTITY"});
}

follower::EventPage MemoryMetastore::events(const follower::EventRequest& request) {
  before_call("events");
  if (cut_) most_asked_after_a_cut = std::max(most_asked_after_a_cut, request.max_events);
  const PageLimits limits{request, events_a_page, cuts_within_id};
  follower::EventPage page;
  int64_t bytes = 0;
  const auto first = std::partition_point(events_.begin(), events_.end(), [&](const Logged& each) {
    return each.event.id <= request.after;
  });
  for (auto at = first; at != events_.end(); ++at) {
    const Logged& logged = *at;
    if (page.events.size() == most_events_an_answer) break;
    if (limits.reached(page, bytes, logged.event.id)) {
      page.cut = true;
      if (!cuts_within_id) {
        std::erase_if(page.events, [&](const Event& each) { return each.id == logged.event.id; });
      }
      break;
    }
    if (logged.event.id == undeliverable || logged.undeliverable) {
      throw Error(ErrorKind::transient, "the answer broke off");
    }
    bytes += static_cast<int64_t>(logged.event.message.size());
    page.events.push_back(logged.event);
  }
  cut_ = page.cut;
  return page;
}

}  // namespace hmsync::doubles
