// The store in memory, which simulations rely on, held to what the one on PostgreSQL does.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/follower/memory_grants.h"
#include "tests/follower/memory_privileges.h"
#include "tests/follower/memory_store.h"
#include "tests/store/store_under_test.h"

namespace hmsync::store {

class MemoryUnderTest : public StoreUnderTest {
 public:
  doubles::MemoryStore& store() { return store_; }

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
        lines.push_back("partition " + full + " " + text(values) + " " + text(location));
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
      if (claim.unordered) line += " unordered";
      if (claim.certain) line += " certain";
      lines.push_back(line);
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
  int64_t refuted() override { return store_.totals.refuted; }

  follower::PrivilegeStore& privileges() override { return privileges_; }
  follower::PrivilegeOutcome create_role(const std::string& role, const std::string& who) override {
    return privileges_.create_role(role, who);
  }
  follower::PrivilegeOutcome drop_role(const std::string& role, const std::string& who) override {
    return privileges_.drop_role(role, who);
  }
  SettledGrants restore_suspended(const GrantIds& ids, bool force,
                                  const std::string& who) override {
    return privileges_.restore_suspended(ids, force, who);
  }
  SettledGrants purge_suspended(const GrantIds& ids, const std::string& who) override {
    return privileges_.purge_suspended(ids, who);
  }
  void record_head(int64_t head) override { store_.record_head(head); }
  int64_t ask_poll() override { return store_.ask_poll(); }
  follower::ReadablePosition position() override { return store_.position(); }

  void put_grant(const TestGrant& test) override {
    doubles::MemoryGrant grant;
    std::istringstream names(test.on);
    std::getline(names, grant.database, '.');
    std::getline(names, grant.table, '.');
    std::getline(names, grant.column, '.');
    grant.id = store_.next_grant_id();
    grant.granted_at = store_.tick();
    grant.role = "analyst";
    grant.action = test.action;
    grant.grant_option = test.grant_option;
    grant.identity = test.identity;
    grant.as_of_event = test.as_of;
    grant.suspended = !test.suspended_reason.empty();
    grant.suspended_reason = test.suspended_reason;
    store_.grants.push_back(grant);
  }
  std::vector<int64_t> grant_ids(const std::string& identity, bool suspended) override {
    std::vector<int64_t> ids;
    for (const doubles::MemoryGrant& grant : store_.grants) {
      if (grant.identity == identity && grant.suspended == suspended) ids.push_back(grant.id);
    }
    return ids;
  }
  std::vector<std::string> grants() override {
    std::vector<std::string> lines;
    for (const doubles::MemoryGrant& grant : store_.grants) {
      const std::string role = grant.role == "analyst" ? "" : grant.role + ": ";
      const std::string catalog =
          grant.catalog == processor::kDefaultCatalog ? "" : grant.catalog + ":";
      lines.push_back(role + catalog + doubles::object_text(grant) + " " + grant.action + " " +
                      std::to_string(grant.as_of_event) + " " + grant.identity +
                      (grant.grant_option ? " option" : "") +
                      (grant.suspended ? " (" + grant.suspended_reason + ")" : ""));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  std::vector<std::string> audit() override {
    std::vector<std::string> lines;
    for (const doubles::AuditRow& row : store_.audit) {
      if (row.action == "snapshot") continue;
      std::string line = row.who + " " + row.action;
      if (!row.object.empty()) line += " " + row.object;
      if (row.event) line += " " + std::to_string(*row.event);
      if (row.outcome != "done") line += " " + row.outcome;
      lines.push_back(line);
    }
    return lines;
  }
  std::vector<std::string> audited_grants() override {
    std::vector<std::string> lines;
    for (const doubles::AuditRow& row : store_.audit) {
      if (!row.before && !row.after) continue;
      lines.push_back(row.who + " " + row.action + ": " + text(row.before) + " -> " +
                      text(row.after));
    }
    return lines;
  }
  std::vector<std::string> permission_changes() override {
    std::vector<std::string> lines;
    for (const doubles::PermissionChange& change : store_.permission_changes) {
      const doubles::MemoryGrant& grant = change.grant;
      const bool moved = change.change == "moved";
      const processor::TableName name = moved ? change.from : grant.name();
      std::string line = change.event ? std::to_string(*change.event) + " " : "";
      line += change.change + " " + grant.role + " " + name.database + " " + name.table + " " +
              grant.column + " " + grant.action;
      if (moved) line += " " + grant.database + " " + grant.table;
      lines.push_back(line);
    }
    return lines;
  }
  std::vector<std::string> path_changes() override {
    std::vector<std::string> lines;
    for (const doubles::PathChange& change : store_.path_changes) {
      std::string line = std::to_string(change.event) + " " + change.change;
      if (!change.name.database.empty()) line += " " + text(change.name);
      if (change.values) line += " " + text(*change.values);
      if (change.location) line += " " + text(change.location);
      if (change.change == "renamed") line += " to " + text(change.to);
      lines.push_back(line);
    }
    return lines;
  }
  std::vector<std::string> revokes() override {
    std::vector<std::string> lines;
    for (const doubles::StoredRevoke& revoke : store_.revokes) {
      std::string line = std::to_string(revoke.at_event) + " " +
                         (revoke.finished ? "finished " : "pending ") + revoke.command.who;
      if (revoke.finished) line += revoke.changed ? " true" : " false";
      lines.push_back(line);
    }
    return lines;
  }

 private:
  static std::string text(const std::optional<processor::Location>& location) {
    return location ? processor::to_string(*location) : "-";
  }

  static std::string text(const processor::Owner& owner) {
    return owner.name.empty() ? "-" : owner.name;
  }

  static std::string text(const std::vector<std::string>& values) {
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ",") + value;
    return "{" + list + "}";
  }
  static std::string text(const processor::TableName& name) {
    return name.database + "." + name.table;
  }
  static std::string text(const std::optional<doubles::MemoryGrant>& grant) {
    if (!grant) return "-";
    std::string line = doubles::object_text(*grant) + " " + grant->action +
                       (grant->grant_option ? "+" : "") + " " + std::to_string(grant->as_of_event) +
                       " " + grant->who;
    return line + (grant->suspended ? " suspended" : "");
  }

  doubles::MemoryStore store_;
  doubles::MemoryPrivileges privileges_{store_};
};

}  // namespace hmsync::store
