#include "hmsclient/snapshot_stream.h"

#include <algorithm>
#include <utility>

#include "hmsclient/connection.h"
#include "hmsclient/thrift_error.h"

namespace hmsync::hmsclient {

namespace {

bool has_objects(const follower::SnapshotPage& page) {
  return !page.databases.empty() || !page.tables.empty() || !page.partitions.empty();
}

}  // namespace

ParallelStream::ParallelStream(const Options& options, const SnapshotOptions& snapshot,
                               const follower::Scope& scope, std::shared_ptr<Interrupt> interrupt)
    : options_(options),
      sizes_{std::max<size_t>(snapshot.databases_per_page, 1),
             std::max<size_t>(snapshot.tables_per_page, 1),
             std::max<size_t>(snapshot.partitions_per_page, 1)},
      pages_ahead_(std::max<size_t>(snapshot.pages_ahead, 1)),
      interrupt_(std::move(interrupt)) {
  units_.push_back(first_unit(scope));
  found_.databases = scope.database && !scope.table ? 1 : 0;
  found_.tables = scope.table ? 1 : 0;
  for (int i = 0; i < std::max(snapshot.connections, 1); ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

ParallelStream::~ParallelStream() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  interrupt_->raise();
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void ParallelStream::work() {
  try {
    Client client(options_, interrupt_);
    while (const std::optional<Unit> unit = take_unit()) {
      UnitResult result;
      client.run([&](Connection& connection) { result = read_unit(connection, *unit, sizes_); });
      deliver(std::move(result));
    }
  } catch (...) {
    fail();
  }
}

std::optional<Unit> ParallelStream::take_unit() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopping_ || finished() || !units_.empty(); });
  if (stopping_ || units_.empty()) {
    return std::nullopt;
  }
  Unit unit = std::move(units_.back());
  units_.pop_back();
  ++busy_;
  return unit;
}

void ParallelStream::deliver(UnitResult result) {
  std::unique_lock lock(mutex_);
  // One without objects only has to wake whoever waits.
  if (result.page && (has_objects(*result.page) || pages_.empty())) {
    changed_.wait(lock, [&] { return stopping_ || pages_.size() < pages_ahead_; });
    pages_.push_back(std::move(*result.page));
  }
  found_.databases += result.found.databases;
  found_.tables += result.found.tables;
  found_.partitions += result.found.partitions;
  add_units(std::move(result.next));
  --busy_;
  changed_.notify_all();
}

void ParallelStream::add_units(std::vector<Unit> units) {
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
    // All databases first: they are few, and others wait to see how many there are. The rest depth
    // first, so that a list of names is used up before others are asked for.
    if (std::holds_alternative<ListTables>(*unit)) {
      units_.push_front(std::move(*unit));
    } else {
      units_.push_back(std::move(*unit));
    }
  }
}

void ParallelStream::fail() {
  const std::lock_guard lock(mutex_);
  if (!failure_) {
    failure_ = std::current_exception();
  }
  stopping_ = true;
  interrupt_->raise();
  changed_.notify_all();
}

std::optional<follower::SnapshotPage> ParallelStream::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || !pages_.empty() || finished(); });
  if (failure_) {
    try {
      std::rethrow_exception(failure_);
    } catch (...) {
      rethrow_as_error("reading a snapshot: ");
    }
  }
  if (pages_.empty()) {
    return std::nullopt;
  }
  follower::SnapshotPage page = std::move(pages_.front());
  pages_.pop_front();
  done_.databases += static_cast<int64_t>(page.databases.size());
  done_.tables += static_cast<int64_t>(page.tables.size());
  for (const follower::TablePartitions& table : page.partitions) {
    done_.partitions += static_cast<int64_t>(table.partitions.size());
  }
  changed_.notify_all();
  return page;
}

follower::SnapshotProgress ParallelStream::progress() const {
  const std::lock_guard lock(mutex_);
  if (done_.databases < found_.databases || found_.tables == 0) {
    return {"databases", done_.databases, found_.databases};
  }
  if (done_.tables < found_.tables) {
    return {"tables", done_.tables, found_.tables};
  }
  return {"partitions", done_.partitions, found_.partitions};
}

}  // namespace hmsync::hmsclient
