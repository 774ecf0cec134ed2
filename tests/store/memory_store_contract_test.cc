// The store in memory, which simulations rely on, held to the same contract as the one on
// PostgreSQL.
#include <algorithm>

#include "tests/follower/memory_store.h"
#include "tests/store/snapshot_contract.h"
#include "tests/store/store_contract.h"

namespace hmsync::store {

namespace {

class MemoryUnderTest : public StoreUnderTest {
 public:
  follower::EventStore& events() override { return store_; }
  follower::SnapshotStore& snapshots() override { return store_; }
  follower::OrderStore& orders() override { return store_; }
  follower::StoredObjects& stored() override { return store_; }

  void elect(const follower::Token& token) override { store_.follower.token = token; }
  int64_t ask_resync(const follower::ResyncRequest& request) override {
    store_.orders.resyncs.push_back(request);
    return store_.orders.resyncs.back().id = 1;
  }
  int64_t ask_retry(int64_t event, const std::string& who) override {
    store_.orders.retries.push_back({1, event, who});
    return 1;
  }
  void pause(const std::string& by, const std::string& reason) override {
    store_.orders.pause.emplace();
    store_.orders.pause->by = by;
    store_.orders.pause->reason = reason;
  }

  std::vector<std::string> objects() override {
    std::vector<std::string> lines;
    for (const auto& [name, database] : store_.live.databases) {
      lines.push_back("database " + name.database + " " + text(database.owner) + " " +
                      text(database.location));
    }
    for (const auto& [name, stored] : store_.live.tables) {
      const std::string full = name.database + "." + name.table;
      lines.push_back("table " + full + " " + stored.table.type + " " + text(stored.table.owner) +
                      " " + text(stored.table.location));
      for (const auto& [values, location] : stored.partitions) {
        std::string list;
        for (const std::string& value : values) list += (list.empty() ? "" : ",") + value;
        lines.push_back("partition " + full + " {" + list + "} " + text(location));
      }
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  std::vector<std::string> re_reads() override {
    std::vector<std::string> lines;
    for (const auto& [name, pending] : store_.re_reads) {
      lines.push_back(std::to_string(pending.event) + " " + name.database + "." + name.table);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  std::vector<std::string> claims() override {
    std::vector<std::string> lines;
    for (const doubles::KeptClaim& kept : store_.claims) {
      const processor::Claim& claim = kept.claim;
      std::string line = std::to_string(claim.event_id) + " " + to_string(claim.kind) + " " +
                         claim.name.database + "." + claim.name.table;
      if (!claim.from.table.empty())
        line += " from " + claim.from.database + "." + claim.from.table;
      if (!claim.identity.empty()) line += " " + claim.identity;
      lines.push_back(line + (claim.unordered ? " unordered" : ""));
    }
    return lines;
  }
  std::vector<std::string> notes() override {
    std::vector<std::string> lines;
    for (const doubles::AuditRow& row : store_.audit) {
      if (row.text)
        lines.push_back(row.action + " " + std::to_string(*row.event) + " " + *row.text);
    }
    return lines;
  }
  int64_t polls_answered() override { return store_.polls_answered; }

 private:
  static std::string text(const std::optional<processor::Location>& location) {
    return location ? processor::to_string(*location) : "-";
  }

  static std::string text(const processor::Owner& owner) {
    return owner.name.empty() ? "-" : owner.name;
  }

  doubles::MemoryStore store_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, StoreContract, testing::Types<MemoryUnderTest>);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, SnapshotContract, testing::Types<MemoryUnderTest>);

}  // namespace

}  // namespace hmsync::store
