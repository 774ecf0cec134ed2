#include "hmsclient/snapshot_reader.h"

#include <utility>

#include "hmsclient/connection_objects.h"
#include "hmsclient/snapshot_stream.h"

namespace hmsync::hmsclient {

SnapshotReader::SnapshotReader(Options options, SnapshotOptions snapshot)
    : options_(std::move(options)), snapshot_(snapshot), client_(options_) {}

std::unique_ptr<follower::SnapshotStream> SnapshotReader::snapshot(
    const std::vector<follower::Scope>& scopes) {
  const auto interrupt = std::make_shared<Interrupt>();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [](const auto& stream) { return stream.expired(); });
    streams_.push_back(interrupt);
    if (interrupted_) {
      interrupt->raise();
    }
  }
  return std::make_unique<ParallelStream>(options_, snapshot_, scopes, interrupt);
}

std::optional<processor::Database> SnapshotReader::database(const processor::DatabaseName& name) {
  std::optional<processor::Database> database;
  client_.run(
      [&](Connection& connection) { database = ConnectionObjects(connection).database(name); });
  return database;
}

std::optional<processor::Table> SnapshotReader::table(const processor::TableName& name) {
  std::optional<processor::Table> table;
  client_.run([&](Connection& connection) { table = ConnectionObjects(connection).table(name); });
  return table;
}

int64_t SnapshotReader::count_tables() {
  int64_t count = 0;
  client_.run(
      [&](Connection& connection) { count = ConnectionObjects(connection).count_tables(); });
  return count;
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
