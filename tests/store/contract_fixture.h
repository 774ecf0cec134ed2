// What the contracts of the store's ports have in common.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processor/error.h"
#include "tests/store/objects.h"
#include "tests/store/store_under_test.h"

namespace hmsync::store {

template <typename Store>
class ContractFixture : public testing::Test {
 protected:
  ContractFixture() { store_.elect(token_); }

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

  /// What Orders tell to be read again, in their order: "sales.orders", "sales", "everything".
  std::vector<std::string> ordered_re_reads() {
    std::vector<std::string> names;
    for (const follower::Scope& scope : store_.orders().pending().re_reads) {
      std::string name = scope.database ? scope.database->database : "everything";
      if (scope.table) name += "." + *scope.table;
      names.push_back(std::move(name));
    }
    return names;
  }

  /// One database, one table with a partition.
  void apply_some() {
    apply(3, {{1, processor::PutDatabase{database("sales")}},
              {2, processor::CreateTableRow{table("sales", "orders")}},
              {3, processor::PutPartitions{named("sales", "orders"),
                                           {partition({"2026", "eu"}, "/w/sales.db/orders/p")}}}});
  }

  /// The kind of what the call throws.
  template <typename Call>
  std::string kind_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return to_string(error.kind());
    }
    return "nothing";
  }

  Store store_;
  const follower::Token token_{7, "nonce"};
};

inline const std::vector<std::string> kSome{
    "database sales alice hdfs://nn/w/sales.db",
    "partition sales.orders {2026,eu} hdfs://nn/w/sales.db/orders/p",
    "table sales.orders MANAGED_TABLE alice hdfs://nn/w/sales.db/orders"};

}  // namespace hmsync::store
