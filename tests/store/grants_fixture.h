// Grants in a test's store; on which one, the program says: store_under_test.h.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "processor/error.h"
#include "tests/store/objects.h"
#include "tests/store/store_under_test.h"

namespace hmsync::store {

inline std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// The lines that begin so, without the beginning.
inline std::vector<std::string> lines_of(const std::vector<std::string>& lines,
                                         const std::string& beginning) {
  std::vector<std::string> found;
  for (const std::string& line : lines) {
    if (line.starts_with(beginning)) found.push_back(line.substr(beginning.size()));
  }
  return found;
}

class GrantsFixture : public testing::Test {
 protected:
  GrantsFixture() {
    store_.elect(token_);
    store_.create_role("analyst", "root");
  }

  follower::Fence fence() { return {token_, store_.events().state().commit_number}; }

  void apply(int64_t cursor, std::vector<processor::Mutation> mutations) {
    follower::Batch batch;
    batch.cursor = cursor;
    batch.mutations = std::move(mutations);
    store_.events().apply(fence(), batch);
  }
  void claim(int64_t cursor, std::vector<processor::Claim> claims) {
    follower::Batch batch;
    batch.cursor = cursor;
    batch.claims = std::move(claims);
    store_.events().apply(fence(), batch);
  }

  std::string staged(const std::vector<follower::Scope>& scopes,
                     const follower::SnapshotPage& page) {
    const std::string id = store_.snapshots().begin(scopes);
    store_.snapshots().add(id, page);
    return id;
  }

  void grant(const TestGrant& grant) { store_.put_grant(grant); }
  std::vector<std::string> grants() { return store_.grants(); }
  /// Sorted, but for the making of the role.
  std::vector<std::string> audit() {
    std::vector<std::string> lines = sorted(store_.audit());
    std::erase(lines, "root create role analyst");
    return lines;
  }
  std::vector<std::string> permission_changes() { return sorted(store_.permission_changes()); }

  const std::unique_ptr<StoreUnderTest> made_ = make_store_under_test();
  StoreUnderTest& store_ = *made_;
  const follower::Token token_{7, "nonce"};
};

}  // namespace hmsync::store
