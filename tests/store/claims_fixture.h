// Claims, and a snapshot of some objects after them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/store/grants_fixture.h"

namespace hmsync::store {

using namespace processor;
using follower::Published;
using follower::Scope;
using follower::SnapshotPage;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::UnorderedElementsAre;
using Kind = Claim::Kind;

inline Scope scope(const std::string& database) {
  return {DatabaseName{kDefaultCatalog, database}, std::nullopt, false};
}
inline Scope scope(const std::string& database, const std::string& table) {
  return {DatabaseName{kDefaultCatalog, database}, table, false};
}

inline Claim claimed(int64_t event, Kind kind, const TableName& name, const TableName& from = {}) {
  Claim claim;
  claim.event_id = event;
  claim.kind = kind;
  claim.name = name;
  claim.from = from;
  claim.certain = true;
  return claim;
}

/// Of a metastore that logs operations before it knows that they succeed.
inline Claim plain(Claim claim) {
  claim.certain = false;
  return claim;
}

inline Claim known(int64_t event, Kind kind, const std::string& name, const std::string& from = "",
                   const std::string& identity = "") {
  Claim claim = claimed(event, kind, named("sales", name));
  if (!from.empty()) claim.from = named("sales", from);
  claim.identity = identity;
  return claim;
}

inline Claim unordered(Claim claim) {
  claim.unordered = true;
  return claim;
}

class ClaimsFixture : public GrantsFixture {
 protected:
  /// As after a snapshot at event 5.
  void start(const SnapshotPage& page) { publish_at(5, {}, page); }

  void claim(const std::vector<Claim>& claims) { GrantsFixture::claim(10, claims); }

  Published publish_at(int64_t cursor, const std::vector<Scope>& scopes, const SnapshotPage& page) {
    const std::string id = staged(scopes, page);
    follower::Publication publication;
    publication.cursor = cursor;
    publication.unbroken = true;
    publication.reason = "re_read";
    Published published = store_.snapshots().publish(fence(), id, publication);
    store_.snapshots().discard(id);
    return published;
  }

  Published publish(const std::vector<Scope>& scopes, const SnapshotPage& page) {
    return publish_at(10, scopes, page);
  }
};

inline SnapshotPage page_of(const std::vector<Database>& databases,
                            const std::vector<Table>& tables) {
  return {databases, tables, {}};
}

inline SnapshotPage sales(const std::vector<Table>& tables) {
  return page_of({database("sales")}, tables);
}

}  // namespace hmsync::store
