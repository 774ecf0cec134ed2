// People who grant and revoke, and the events that are unread when they do.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/store/grants_fixture.h"
#include "tests/store/privilege_objects.h"

namespace hmsync::store {

using follower::GrantBasis;
using follower::PrivilegeCommand;
using follower::PrivilegeObject;
using follower::PrivilegeOutcome;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::SizeIs;
using testing::UnorderedElementsAre;

inline const PrivilegeObject kDrafts{"hive", "sales", "drafts", std::nullopt, std::nullopt};
inline const PrivilegeObject kOld{"hive", "sales", "old", std::nullopt, std::nullopt};

/// Of generation 2 and at event 10, with a table drafts.
class RevokesFixture : public GrantsFixture {
 protected:
  RevokesFixture() {
    reset_at(10);
    reset_at(10);
  }

  void reset_at(int64_t cursor) {
    follower::Publication reset;
    reset.cursor = cursor;
    reset.raise_generation = true;
    const std::string id =
        staged({}, {{database("sales")}, {table("sales", "drafts", "created:1")}, {}});
    store_.snapshots().publish(fence(), id, reset);
  }
  static processor::Mutation becomes(int64_t event, const std::string& from,
                                     const std::string& to) {
    return {event, processor::RenameTable{
                       named("sales", from), table("sales", to, "created:1"), std::nullopt, {}}};
  }
  static processor::Mutation orders_become_drafts(int64_t event) {
    return becomes(event, "orders", "drafts");
  }
  static processor::Mutation drafts_become_orders(int64_t event) {
    return becomes(event, "drafts", "orders");
  }

  /// On an object of identity "created:1", the store having read all events.
  PrivilegeOutcome grant(const std::string& action, const PrivilegeObject& object,
                         bool grant_option = false,
                         const GrantBasis& basis = {2, 10, "created:1"}) {
    const auto outcome = store_.privileges().grant(command(action, object, grant_option), basis);
    if (!outcome) throw std::runtime_error("the store asks again");
    return *outcome;
  }
  PrivilegeOutcome revoke(const std::string& action, const PrivilegeObject& object,
                          std::optional<int64_t> head = 10) {
    return store_.privileges().revoke(command(action, object), head);
  }

  /// `from`: empty where it could not be read.
  static processor::Claim renamed(int64_t event, const std::string& from, const std::string& to) {
    processor::Claim claim;
    claim.event_id = event;
    claim.kind = processor::Claim::Kind::renamed;
    if (!from.empty()) claim.from = named("sales", from);
    claim.name = named("sales", to);
    return claim;
  }
  void read_again(int64_t cursor, const std::vector<processor::Table>& tables) {
    const std::string id = staged({{processor::DatabaseName{"hive", "sales"}, std::nullopt}},
                                  {{database("sales")}, tables, {}});
    publish(id, cursor);
    store_.snapshots().discard(id);
  }
  follower::Published publish(const std::string& id, int64_t cursor) {
    follower::Publication publication;
    publication.cursor = cursor;
    publication.unbroken = true;
    publication.reason = "re_read";
    return store_.snapshots().publish(fence(), id, publication);
  }

  /// action, grant option, and the object where it is not sales.orders; by object and action.
  std::string held() {
    std::vector<std::string> lines;
    for (const std::string& line : grants()) {
      std::istringstream words(line);
      std::string on, action;
      words >> on >> action;
      if (line.find(" option") != std::string::npos) action += "+";
      if (line.ends_with(")")) action += " suspended";
      lines.push_back(on == "sales.orders" ? on + ' ' + action : on + ' ' + action + " on " + on);
    }
    std::string text;
    for (const std::string& line : sorted(lines)) text += line.substr(line.find(' ') + 1) + '\n';
    return text;
  }
  /// What a leader does between two batches.
  void repeat() { store_.orders().repeat_revokes(fence()); }
  bool due() { return store_.orders().pending().revokes_due; }
  std::optional<int64_t> ahead() { return store_.orders().pending().revoke_ahead; }
};

}  // namespace hmsync::store
