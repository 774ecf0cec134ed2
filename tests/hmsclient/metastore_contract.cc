#include "tests/hmsclient/metastore_contract.h"

#include <regex>

#include "tests/processor/change_text.h"

namespace hmsync::hmsclient {

std::string anonymous(std::string text, const processor::Location& warehouse) {
  const std::string root = to_string(warehouse);
  for (size_t at = text.find(root); at != std::string::npos; at = text.find(root, at + 2)) {
    text.replace(at, root.size(), "WH");
  }
  static const std::regex kIdentity(" (id|created):[0-9]+");
  return std::regex_replace(text, kIdentity, " #");
}

doubles::ObjectMap read_all(follower::ObjectReader& objects,
                            const std::vector<follower::Scope>& scopes) {
  doubles::ObjectMap all;
  const auto stream = objects.snapshot(scopes);
  while (const auto page = stream->next()) {
    for (const processor::Database& each : page->databases) {
      EXPECT_TRUE(all.databases.emplace(each.name, each).second) << each.name.database;
    }
    for (const processor::Table& each : page->tables) {
      EXPECT_TRUE(all.tables.emplace(each.name, doubles::StoredTable{each, {}}).second)
          << each.name.table;
    }
    for (const follower::TablePartitions& each : page->partitions) {
      const auto found = all.tables.find(each.table);
      if (found == all.tables.end()) {
        ADD_FAILURE() << each.table.table << " comes after its partitions";
        continue;
      }
      for (const processor::Partition& partition : each.partitions) {
        EXPECT_TRUE(found->second.partitions.emplace(partition.values, partition.location).second);
      }
    }
  }
  return all;
}

follower::Scope whole(const std::string& database) {
  return {.database = {{"hive", database}}, .table = {}};
}

follower::Scope one(const std::string& database, const std::string& table) {
  return {.database = {{"hive", database}}, .table = table};
}

namespace {

std::string header(const processor::Event& event) {
  return event.type + " " + event.catalog.value_or("-") + "." + event.database.value_or("-") + "." +
         event.table.value_or("-");
}

}  // namespace

std::vector<std::string> MetastoreContract::new_events() {
  std::vector<std::string> events;
  for (const processor::Event& event : log_.events({.after = seen_}).events) {
    EXPECT_EQ(event.id, seen_ + 1);
    seen_ = event.id;
    events.push_back(header(event) + ": " +
                     anonymous(to_text(processor::decode(event)), metastore_->warehouse()));
  }
  EXPECT_EQ(log_.head(), seen_);
  return events;
}

std::vector<std::string> MetastoreContract::new_changes() {
  std::vector<std::string> changes = new_events();
  for (std::string& change : changes) change.erase(0, change.find(": ") + 2);
  return changes;
}

processor::Location MetastoreContract::in_warehouse(const std::string& rest) const {
  processor::Location location = metastore_->warehouse();
  location.path += "/" + rest;
  return location;
}

processor::Table MetastoreContract::table(const std::string& database, const std::string& name) {
  const auto found = objects_.table({"hive", database, name});
  EXPECT_TRUE(found) << database << "." << name;
  return found.value_or(processor::Table{});
}

doubles::PartitionMap MetastoreContract::partitions(const std::string& database,
                                                    const std::string& name) {
  const doubles::ObjectMap read = read_all(objects_, {one(database, name)});
  const auto found = read.tables.find({"hive", database, name});
  EXPECT_TRUE(found != read.tables.end()) << database << "." << name;
  return found == read.tables.end() ? doubles::PartitionMap{} : found->second.partitions;
}

}  // namespace hmsync::hmsclient
