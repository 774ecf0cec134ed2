// A real metastore that the tests of one program share, and what all of them ask of it.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "hmsclient/ddl_client.h"
#include "hmsclient/notification_reader.h"
#include "hmsclient/snapshot_reader.h"
#include "tests/fixtures/mini_hms.h"

namespace hmsync::hmsclient {

/// One client at a time: with Derby behind it several writers would get shared ids.
class RealMetastore : public testing::Test {
 protected:
  static constexpr const char* kWarehouse = "hdfs://nn1:8020/warehouse";

  static void SetUpTestSuite() {
    hms_ = std::make_unique<fixtures::MiniHms>(fixtures::MiniHms::Options{.warehouse = kWarehouse});
  }
  static void TearDownTestSuite() { hms_.reset(); }

  void SetUp() override { before_ = log_.head(); }

  static Options options() {
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

  static std::unique_ptr<fixtures::MiniHms> hms_;
  DdlClient ddl_{options()};
  Client client_{options()};
  NotificationReader log_{client_};
  SnapshotReader objects_{options()};
  int64_t before_ = 0;
};

}  // namespace hmsync::hmsclient
