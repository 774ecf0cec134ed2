// A real metastore that the tests of one program share, and what all of them ask of it.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hmsclient/ddl_client.h"
#include "hmsclient/notification_reader.h"
#include "hmsclient/snapshot_reader.h"
#include "tests/fixtures/mini_hms.h"

namespace hmsync::hmsclient {

/// The parameter is its version. One client at a time: with Derby behind it several writers would
/// get shared ids.
class RealMetastore : public testing::TestWithParam<const char*> {
 protected:
  static constexpr const char* kWarehouse = "hdfs://nn1:8020/warehouse";

  static void TearDownTestSuite() { hms_.reset(); }

  void SetUp() override { before_ = log_.head(); }

  static std::string version() { return GetParam(); }
  static bool is_2_3() { return version() == "2.3.10"; }
  static bool is_4_0() { return version() == "4.0.1"; }

  /// What this version calls a managed table.
  static TableSpec managed(TableSpec spec) {
    return is_4_0() ? insert_only(std::move(spec)) : spec;
  }

  static Options options() {
    if (!hms_) {
      hms_ = std::make_unique<fixtures::MiniHms>(
          fixtures::MiniHms::Options{.version = version(), .warehouse = kWarehouse});
    }
    Options options;
    options.uris = {hms_->uri()};
    options.user = "hmsync";
    return options;
  }

  /// Types of the events since the test began, or since the last call.
  std::vector<std::string> new_events() {
    std::vector<std::string> types;
    for (const processor::Event& event : log_.events({.after = before_}).events) {
      EXPECT_EQ(event.id, before_ + 1);
      before_ = event.id;
      types.push_back(event.type);
    }
    return types;
  }

  inline static std::unique_ptr<fixtures::MiniHms> hms_;
  DdlClient ddl_{options()};
  Client client_{options()};
  NotificationReader log_{client_};
  SnapshotReader objects_{options()};
  int64_t before_ = 0;
};

/// One suite for each version, so that each has its metastore while it runs.
#define HMSYNC_ON_EACH_METASTORE(Suite)                                   \
  INSTANTIATE_TEST_SUITE_P(Hive2_3_10, Suite, testing::Values("2.3.10")); \
  INSTANTIATE_TEST_SUITE_P(Hive3_1_3, Suite, testing::Values("3.1.3"));   \
  INSTANTIATE_TEST_SUITE_P(Hive4_0_1, Suite, testing::Values("4.0.1"))

}  // namespace hmsync::hmsclient
