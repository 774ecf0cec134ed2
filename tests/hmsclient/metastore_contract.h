// What every metastore behind the follower's ports does, real ones and the double alike. The tests
// are in metastore_contract_*.cc; a program that has them says by INSTANTIATE_TEST_SUITE_P what
// they run on.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "processor/change.h"
#include "tests/follower/memory_metastore.h"
#include "tests/hmsclient/metastore_under_test.h"

namespace hmsync::hmsclient {

/// The identities in such a text as `#`, whatever they are, and `-` where there is none; the
/// warehouse as `WH`.
std::string anonymous(std::string text, const processor::Location& warehouse);

/// All that a snapshot of these scopes has. Fails where something comes twice, or a partition
/// before its table.
doubles::ObjectMap read_all(follower::ObjectReader& objects,
                            const std::vector<follower::Scope>& scopes);

follower::Scope whole(const std::string& database);
follower::Scope one(const std::string& database, const std::string& table);

class MetastoreContract : public testing::TestWithParam<MetastoreKind> {
 protected:
  void SetUp() override { seen_ = metastore_->log().head(); }

  /// The drop of a table of catalog hive; a 2.3 does not tell which one it was.
  [[nodiscard]] std::string dropped(const std::string& name) const {
    return "drop table hive." + name + (is_2_3() ? " -" : " #");
  }
  [[nodiscard]] bool is_2_3() const {
    return metastore_->generation() == doubles::Generation::v2_3;
  }
  [[nodiscard]] bool is_4_0() const {
    return metastore_->generation() == doubles::Generation::v4_0;
  }

  void run(const doubles::Change& change) { ASSERT_TRUE(metastore_->run(change)); }

  /// Of each event since the test began, or since the last call: type, the header's names, and what
  /// it decodes to. Fails where ids are not the next ones.
  std::vector<std::string> new_events();
  /// Without the events' types and headers.
  std::vector<std::string> new_changes();

  [[nodiscard]] processor::Location in_warehouse(const std::string& rest) const;
  [[nodiscard]] processor::Table table(const std::string& database, const std::string& name);
  [[nodiscard]] doubles::PartitionMap partitions(const std::string& database,
                                                 const std::string& name);

  const std::unique_ptr<MetastoreUnderTest> metastore_ = GetParam().reach();
  follower::ObjectReader& objects_ = metastore_->objects();
  follower::NotificationLog& log_ = metastore_->log();
  int64_t seen_ = 0;
};

/// Run on those of 3.1.3.
class PlainListenerContract : public MetastoreContract {};

}  // namespace hmsync::hmsclient
