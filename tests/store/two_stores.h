// One sequence of calls on the store in memory and on PostgreSQL: both must answer alike and hold
// the same.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/store/memory_under_test.h"
#include "tests/store/postgres_under_test.h"

namespace hmsync::store {

/// Paths as a reader of the change log knows them, who asks for the objects only at an image.
class PathMirror {
 public:
  /// What came since the last time.
  void follow(StoreUnderTest& store);
  /// Lines as the mirror keeps them.
  static std::set<std::string> paths_in(StoreUnderTest& store);
  [[nodiscard]] const std::set<std::string>& paths() const { return paths_; }

 private:
  void apply(const std::string& change, StoreUnderTest& store);

  std::set<std::string> paths_;  ///< "sales.orders {a} hdfs://nn/a"
  size_t read_ = 0;
};

class TwoStores {
 public:
  TwoStores();

  /// The same call on both; answers what both answer, as text.
  template <typename Call>
  std::string both(const std::string& what, const Call& call) {
    trace_.push_back(what);
    const std::string expected = answer(call, memory_, 0);
    const std::string answered = answer(call, postgres_, 1);
    EXPECT_EQ(answered, expected) << "PostgreSQL answers otherwise: " << recent();
    trace_.back() += " => " + expected;
    return expected;
  }
  void expect_same();

  MemoryUnderTest& memory() { return memory_; }
  follower::Fence fence(StoreUnderTest& store) {
    return {token_, store.events().state().commit_number};
  }
  /// The last calls.
  [[nodiscard]] std::string recent() const;

 private:
  template <typename Call>
  static std::string answer(const Call& call, StoreUnderTest& store, size_t side) {
    try {
      return call(store, side);
    } catch (const Error& error) {
      return std::string("throws ") + to_string(error.kind());
    }
  }
  /// What came since the last time, in any order.
  static std::vector<std::string> news(std::vector<std::string> lines, size_t& told);

  MemoryUnderTest memory_;
  PostgresUnderTest postgres_;
  const follower::Token token_{7, "nonce"};
  std::vector<std::string> trace_;
  size_t audits_[2] = {0, 0};
  size_t permissions_[2] = {0, 0};
  PathMirror mirrors_[2];
};

}  // namespace hmsync::store
