// What the tests of snapshots share: objects, a small metastore, and all that a stream has.
#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hmsclient/snapshot_reader.h"
#include "tests/fixtures/fake_hms.h"

namespace hmsync::hmsclient {

inline Options options_for(const fixtures::FakeHms& hms) {
  Options options;
  options.uris = {hms.uri()};
  options.call_timeout = std::chrono::milliseconds(20000);
  options.first_backoff = std::chrono::milliseconds(1);
  options.longest_backoff = std::chrono::milliseconds(4);
  return options;
}

inline processor::Database database(const std::string& name, const std::string& catalog = "hive") {
  processor::Database made;
  made.name = {catalog, name};
  made.owner = {"alice", processor::OwnerType::user};
  made.location = processor::Location{"hdfs", "nn:8020", "/warehouse/" + name + ".db"};
  return made;
}

inline processor::Table table(const std::string& in, const std::string& name,
                              std::vector<std::string> keys = {},
                              const std::string& catalog = "hive") {
  processor::Table made;
  made.name = {catalog, in, name};
  made.type = "MANAGED_TABLE";
  made.owner = {"bob", processor::OwnerType::role};
  made.location = processor::Location{"hdfs", "nn:8020", "/warehouse/" + in + ".db/" + name};
  made.identity = "created:1700000000";
  made.columns = {"id", "name"};
  made.partition_keys = std::move(keys);
  return made;
}

inline processor::Partition partition(const processor::Table& in, const std::string& value) {
  processor::Partition made;
  made.values = {value};
  made.location = in.location;
  made.location->path += "/" + in.partition_keys.at(0) + "=" + value;
  return made;
}

struct Everything {
  std::vector<processor::Database> databases;
  std::vector<processor::Table> tables;
  std::map<processor::TableName, std::vector<processor::Partition>> partitions;
  std::vector<follower::SnapshotPage> pages;
};

/// Fails where a partition comes before its table.
inline Everything read_all(follower::SnapshotStream& stream) {
  Everything all;
  std::set<processor::TableName> known;
  while (auto page = stream.next()) {
    for (const processor::Database& each : page->databases) {
      all.databases.push_back(each);
    }
    for (const processor::Table& each : page->tables) {
      all.tables.push_back(each);
      known.insert(each.name);
    }
    for (const follower::TablePartitions& each : page->partitions) {
      EXPECT_TRUE(known.contains(each.table)) << each.table.table << " comes after its partitions";
      auto& into = all.partitions[each.table];
      into.insert(into.end(), each.partitions.begin(), each.partitions.end());
    }
    all.pages.push_back(std::move(*page));
  }
  return all;
}

inline Everything read_all(SnapshotReader& reader,
                           const std::vector<follower::Scope>& scopes = {}) {
  const auto stream = reader.snapshot(scopes);
  return read_all(*stream);
}

inline follower::Scope whole(const std::string& database) {
  return {.database = {{"hive", database}}, .table = {}};
}

inline follower::Scope one(const std::string& database, const std::string& table) {
  return {.database = {{"hive", database}}, .table = table};
}

inline const follower::Scope kOwnRows{.database = {}, .table = {}, .databases_only = true};

/// Two databases; a plain, a partitioned and a view table; a partition elsewhere and one nowhere.
class ASmallMetastore {
 public:
  explicit ASmallMetastore(fixtures::FakeHms& hms) {
    hms.set_head(41);
    hms.put(sales);
    hms.put(empty);
    hms.put(orders);
    hms.put(customers);
    hms.put(view());
    hms.put(orders.name, inside);
    hms.put(orders.name, outside());
    hms.put(orders.name, nowhere());
  }

  static processor::Table view() {
    processor::Table made = table("sales", "recent");
    made.type = "VIRTUAL_VIEW";
    made.location.reset();
    return made;
  }
  static processor::Partition outside() {
    return {{"2026-11-29"}, processor::Location{"s3a", "bucket", "/old orders/%3A"}};
  }
  static processor::Partition nowhere() { return {{"2026-11-28"}, std::nullopt}; }

  const processor::Database sales = database("sales");
  const processor::Database empty = database("empty");
  const processor::Table orders = table("sales", "orders", {"dt"});
  const processor::Table customers = table("sales", "customers");
  const processor::Partition inside = partition(orders, "2026-11-30");
};

}  // namespace hmsync::hmsclient
