// A real metastore behind the interface of the contract.
#pragma once

#include <memory>

#include "hmsclient/client.h"
#include "hmsclient/ddl_client.h"
#include "hmsclient/notification_reader.h"
#include "hmsclient/snapshot_reader.h"
#include "tests/fixtures/mini_hms.h"
#include "tests/hmsclient/metastore_under_test.h"

namespace hmsync::hmsclient {

/// On Derby: one client at a time.
std::shared_ptr<fixtures::MiniHms> start_metastore(doubles::Generation generation,
                                                   fixtures::MiniHms::Options options = {});

class RealUnderTest : public MetastoreUnderTest {
 public:
  RealUnderTest(doubles::Generation generation, std::shared_ptr<fixtures::MiniHms> hms);

  [[nodiscard]] doubles::Generation generation() const override { return generation_; }
  [[nodiscard]] processor::Location warehouse() const override;
  follower::NotificationLog& log() override { return log_; }
  follower::ObjectReader& objects() override { return objects_; }
  bool run(const doubles::Change& change) override;
  void let_a_second_pass() override;

 private:
  const doubles::Generation generation_;
  const std::shared_ptr<fixtures::MiniHms> hms_;
  DdlClient ddl_;
  Client client_;
  NotificationReader log_{client_};
  SnapshotReader objects_;
};

}  // namespace hmsync::hmsclient
