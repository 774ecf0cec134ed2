// A notification log that is made up, always the same.
#pragma once

#include <string>
#include <vector>

#include "processor/event.h"
#include "processor/object.h"

namespace hmsync::bench {

class EventLog {
 public:
  /// Each gets the next id; they are messages of a 3.1.3.
  void create_table(const processor::Table& table);
  void drop_table(const processor::Table& table);
  void alter_table(const processor::Table& before, const processor::Table& after);
  void add_partitions(const processor::Table& table,
                      const std::vector<processor::Partition>& partitions);
  /// With all that is in it.
  void drop_database(const std::string& name);

  [[nodiscard]] int64_t last() const { return static_cast<int64_t>(events_.size()); }
  [[nodiscard]] const std::vector<processor::Event>& events() const { return events_; }

 private:
  void add(const std::string& type, const processor::TableName& table, std::string message);

  std::vector<processor::Event> events_;
};

/// What a busy warehouse does, so many events of it: tables are made, get partitions and other
/// owners, and every third one is dropped again. Names begin with `prefix`.
void add_mixed_events(EventLog& log, const std::string& prefix, int64_t events);

}  // namespace hmsync::bench
