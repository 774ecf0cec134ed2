// What the contract of the follower's store ports asks of an implementation under test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "follower/store.h"

namespace hmsync::store {

class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;

  virtual follower::EventStore& events() = 0;
  virtual follower::SnapshotStore& snapshots() = 0;
  virtual follower::OrderStore& orders() = 0;
  virtual follower::StoredObjects& stored() = 0;

  /// Makes it the token of the writer, as an election does.
  virtual void elect(const follower::Token& token) = 0;
  virtual int64_t ask_resync(const follower::ResyncRequest& request) = 0;
  virtual int64_t ask_retry(int64_t event, const std::string& who) = 0;
  virtual void pause(const std::string& by, const std::string& reason) = 0;

  /// What readers see, sorted: "database sales alice hdfs://nn/w/sales.db",
  /// "table sales.orders MANAGED_TABLE alice hdfs://nn/w/sales.db/orders",
  /// "partition sales.orders {2026,eu} hdfs://nn/w/sales.db/orders/p"; "-" for what is not there.
  virtual std::vector<std::string> objects() = 0;
  /// What waits to be read again, sorted, with the lowest event that asked for it: "5
  /// sales.orders", "5 sales.", "5 ." for everything.
  virtual std::vector<std::string> re_reads() = 0;
  /// In the order of their coming: "5 renamed sales.new from sales.old created:1 unordered".
  virtual std::vector<std::string> claims() = 0;
  /// Of events, in the order of their coming: "late 5 why".
  virtual std::vector<std::string> notes() = 0;
  virtual int64_t polls_answered() = 0;
};

}  // namespace hmsync::store
