// A daemon's way to the metastore: connections that prove where they lead before they are used.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "follower/proof.h"
#include "tests/follower/memory_metastore.h"

namespace hmsync::simulation {

/// Reads by the double; refuses as hmsclient does what is not the metastore that is expected.
class SimulatedMetastore : public follower::NotificationLog, public follower::ObjectReader {
 public:
  SimulatedMetastore(doubles::MemoryMetastore& metastore, const follower::Expected& expected)
      : metastore_(metastore), expected_(expected) {}

  int64_t head() override {
    return call([&] { return metastore_.head(); });
  }
  follower::EventPage events(const follower::EventRequest& request) override {
    return call([&] { return metastore_.events(request); });
  }
  std::optional<std::string> uuid() override {
    return call([&] { return metastore_.uuid(); });
  }
  bool plain_listener() override {
    return call([&] { return metastore_.plain_listener(); });
  }
  std::unique_ptr<follower::SnapshotStream> snapshot(
      const std::vector<follower::Scope>& scopes) override {
    return call([&] { return metastore_.snapshot(scopes); });
  }
  std::optional<processor::Database> database(const processor::DatabaseName& name) override {
    return call([&] { return metastore_.database(name); });
  }
  std::optional<processor::Table> table(const processor::TableName& name) override {
    return call([&] { return metastore_.table(name); });
  }
  int64_t count_tables() override {
    return call([&] { return metastore_.count_tables(); });
  }

 private:
  /// A connection is lost with each failure, and with the metastore that it led to.
  template <typename Call>
  std::invoke_result_t<const Call&> call(const Call& made) {
    if (connected_to_ != metastore_.generation_of_log()) {
      const int64_t there = metastore_.generation_of_log();
      connected_to_.reset();
      const std::string wrong = follower::disproof(metastore_, metastore_, expected_.get());
      if (!wrong.empty()) throw follower::AnotherMetastore(wrong);
      connected_to_ = there;
    }
    try {
      return made();
    } catch (const Error&) {
      connected_to_.reset();
      throw;
    }
  }

  doubles::MemoryMetastore& metastore_;
  const follower::Expected& expected_;
  std::optional<int64_t> connected_to_;
};

}  // namespace hmsync::simulation
