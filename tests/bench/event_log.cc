#include "tests/bench/event_log.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "tests/bench/memory_deployment.h"
#include "tests/follower/event_messages.h"

namespace hmsync::bench {

using processor::Partition;
using processor::Table;

void EventLog::add(const std::string& type, const processor::TableName& table,
                   std::string message) {
  processor::Event& event = events_.emplace_back();
  event.id = last();
  event.time = 1'700'000'000 + event.id / 100;
  event.type = type;
  event.catalog = table.catalog;
  event.database = table.database;
  event.table = table.table;
  event.message = std::move(message);
  event.message_format = "json-0.2";
}

void EventLog::create_table(const Table& table) {
  add("CREATE_TABLE", table.name, doubles::create_table_message(table));
}

void EventLog::drop_table(const Table& table) {
  add("DROP_TABLE", table.name, doubles::drop_table_message(table));
}

void EventLog::alter_table(const Table& before, const Table& after) {
  add("ALTER_TABLE", after.name, doubles::alter_table_message(before, after));
}

void EventLog::add_partitions(const Table& table, const std::vector<Partition>& partitions) {
  add("ADD_PARTITION", table.name, doubles::add_partitions_message(table, partitions));
}

void EventLog::drop_database(const std::string& name) {
  add("DROP_DATABASE", {"hive", name, ""}, doubles::drop_database_message({"hive", name}));
  events_.back().table.reset();
}

// Of ten events three make a table, four add partitions, two change an owner, one drops.
void add_mixed_events(EventLog& log, const std::string& prefix, int64_t events) {
  std::deque<Table> tables;
  int64_t made = 0;
  int64_t partitions = 0;
  const auto recent = [&](int64_t back) -> Table& {
    return tables[static_cast<size_t>(static_cast<int64_t>(tables.size()) - 1 - back)];
  };
  for (int64_t i = 0; i < events; ++i) {
    const int64_t turn = i % 10;
    if (turn == 0 || turn == 3 || turn == 6) {
      Table table = table_named(fmt::format("{}_{}", prefix, made), 1'000 + made);
      table.partition_keys = {"day"};
      ++made;
      log.create_table(tables.emplace_back(table));
      if (tables.size() > 60) tables.pop_front();
    } else if (turn == 2 || turn == 8) {
      Table& table = recent(std::min<int64_t>(1, static_cast<int64_t>(tables.size()) - 1));
      const Table before = table;
      table.owner.name = "bob";
      log.alter_table(before, table);
    } else if (turn == 9 && tables.size() > 30) {
      log.drop_table(tables.front());
      tables.pop_front();
    } else {
      const Table& table = recent(0);
      const std::string value = fmt::format("2026-{:06}", partitions++);
      log.add_partitions(table, {{{value}, at("/sales.db/" + table.name.table + "/day=" + value)}});
    }
  }
}

}  // namespace hmsync::bench
