// The metastore's objects, read over one connection and nothing else. Not for use outside this
// folder.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "follower/metastore.h"
#include "hmsclient/connection.h"
#include "hmsclient/snapshot_pages.h"

namespace hmsync::hmsclient {

/// No retry. The connection must outlive it, and its streams; one of these is used at a time.
class ConnectionObjects : public follower::ObjectReader {
 public:
  explicit ConnectionObjects(Connection& connection) : connection_(connection) {}

  std::unique_ptr<follower::SnapshotStream> snapshot(
      const std::vector<follower::Scope>& scopes) override;
  std::optional<processor::Database> database(const processor::DatabaseName& name) override;
  std::optional<processor::Table> table(const processor::TableName& name) override;
  int64_t count_tables() override;

 private:
  Connection& connection_;
};

}  // namespace hmsync::hmsclient
