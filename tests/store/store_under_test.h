// What the contract of the follower's store ports asks of an implementation under test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <memory>

#include "follower/privileges.h"
#include "follower/store.h"
#include "follower/waiters.h"
#include "store/suspended.h"

namespace hmsync::store {

/// A grant to the role analyst, without the checks that people's grants go through.
struct TestGrant {
  std::string on;  ///< "db", "db.table" or "db.table.column"
  int64_t as_of = 0;
  std::string identity = "";
  std::string action = "SELECT";
  bool grant_option = false;
  std::string suspended_reason = "";  ///< empty: it authorises
};

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
  virtual int64_t refuted() = 0;  ///< events, ever

  virtual follower::PrivilegeStore& privileges() = 0;
  virtual follower::PrivilegeOutcome create_role(const std::string& role,
                                                 const std::string& who) = 0;
  virtual follower::PrivilegeOutcome drop_role(const std::string& role, const std::string& who) = 0;
  virtual SettledGrants restore_suspended(const GrantIds& ids, bool force,
                                          const std::string& who) = 0;
  virtual SettledGrants purge_suspended(const GrantIds& ids, const std::string& who) = 0;
  virtual void record_head(int64_t head) = 0;
  virtual int64_t ask_poll() = 0;
  virtual follower::ReadablePosition position() = 0;

  /// Without any row of audit or change log.
  virtual void put_grant(const TestGrant& grant) = 0;
  virtual std::vector<int64_t> grant_ids(const std::string& identity, bool suspended) = 0;
  /// Sorted: "db.table.column SELECT 5 identity", with " option" and " (reason)" behind; "role: "
  /// of another role than analyst and "catalog:" of another catalog than hive before.
  virtual std::vector<std::string> grants() = 0;
  /// In the order of their coming, but for snapshots: "event move sales.orders 3", with
  /// " refused: why" behind.
  virtual std::vector<std::string> audit() = 0;
  /// Of grants, in the order of their coming: "alice grant: - -> sales.orders SELECT 5 alice", "+"
  /// behind the action for a grant option, and " suspended" at the end.
  virtual std::vector<std::string> audited_grants() = 0;
  /// In the order of their coming: "3 moved analyst sales orders  SELECT archive old"; no number
  /// where a person did it.
  virtual std::vector<std::string> permission_changes() = 0;
  /// In the order of their coming: "3 added sales.orders {a} hdfs://nn/a", "4 renamed sales.a to
  /// sales.b", "5 removed sales.orders", "6 image".
  virtual std::vector<std::string> path_changes() = 0;
  /// Revokes to be repeated, in the order of their coming: "12 pending alice", "12 finished alice
  /// true" (it changed something), "-1 pending alice".
  virtual std::vector<std::string> revokes() = 0;
};

/// What the tests of one program are run on: store_on_postgres.cc, store_on_memory.cc.
std::unique_ptr<StoreUnderTest> make_store_under_test();

}  // namespace hmsync::store
