#include "hmsclient/snapshot_reader.h"

#include <utility>

#include "hmsclient/metastore_calls.h"
#include "hmsclient/snapshot_stream.h"
#include "processor/lower_case.h"

namespace hmsync::hmsclient {

using processor::lower_case;

SnapshotReader::SnapshotReader(Options options, SnapshotOptions snapshot)
    : options_(std::move(options)), snapshot_(snapshot), client_(options_) {}

std::unique_ptr<follower::SnapshotStream> SnapshotReader::snapshot(const follower::Scope& scope) {
  const auto interrupt = std::make_shared<Interrupt>();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [](const auto& stream) { return stream.expired(); });
    streams_.push_back(interrupt);
    if (interrupted_) {
      interrupt->raise();
    }
  }
  return std::make_unique<ParallelStream>(options_, snapshot_, scope, interrupt);
}

std::optional<processor::Database> SnapshotReader::database(const processor::DatabaseName& name) {
  const processor::DatabaseName lower{lower_case(name.catalog), lower_case(name.database)};
  std::optional<processor::Database> database;
  client_.run([&](Connection& connection) { database = read_database(connection, lower); });
  return database;
}

std::optional<processor::Table> SnapshotReader::table(const processor::TableName& name) {
  const processor::TableName lower{lower_case(name.catalog), lower_case(name.database),
                                   lower_case(name.table)};
  std::optional<processor::Table> table;
  client_.run([&](Connection& connection) { table = read_table(connection, lower); });
  return table;
}

void SnapshotReader::interrupt() {
  client_.interrupt();
  const std::lock_guard lock(mutex_);
  interrupted_ = true;
  for (const auto& stream : streams_) {
    if (const auto live = stream.lock()) {
      live->raise();
    }
  }
}

}  // namespace hmsync::hmsclient
