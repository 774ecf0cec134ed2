// Reads the metastore's objects, all of them or one.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "follower/metastore.h"
#include "hmsclient/client.h"

namespace hmsync::hmsclient {

struct SnapshotOptions {
  int connections = 4;             ///< of one snapshot, each with a thread
  size_t databases_per_page = 10;  ///< each is a call of its own
  size_t tables_per_page = 300;
  size_t partitions_per_page = 1000;
  /// Pages that wait to be taken; beside them each connection holds the one it reads.
  size_t pages_ahead = 4;
};

/// Used by one thread at a time, but for interrupt(). What the server can do is found by asking
/// (tried: 2.3.10, 3.1.3, 4.0.1 differ in how tables and partitions are asked for).
class SnapshotReader : public follower::ObjectReader {
 public:
  explicit SnapshotReader(Options options, SnapshotOptions snapshot = {});

  /// The stream needs nothing of this object but may be interrupted through it. Depth first, so
  /// that at most a few databases' table names and a few tables' partition names are kept at once,
  /// long lists of them in temporary files; its progress counts the tables and partitions found so
  /// far.
  std::unique_ptr<follower::SnapshotStream> snapshot(
      const std::vector<follower::Scope>& scopes) override;
  std::optional<processor::Database> database(const processor::DatabaseName& name) override;
  std::optional<processor::Table> table(const processor::TableName& name) override;
  int64_t count_tables() override;

  /// From any thread, for ever: ends what is being read, streams included.
  void interrupt();

 private:
  const Options options_;
  const SnapshotOptions snapshot_;
  Client client_;
  std::mutex mutex_;
  bool interrupted_ = false;                       ///< guarded by mutex_
  std::vector<std::weak_ptr<Interrupt>> streams_;  ///< guarded by mutex_
};

}  // namespace hmsync::hmsclient
