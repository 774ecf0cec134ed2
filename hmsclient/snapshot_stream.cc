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
                               const std::vector<follower::Scope>& scopes,
                               std::shared_ptr<Interrupt> interrupt)
    : options_(options),
      sizes_{std::max<size_t>(snapshot.databases_per_page, 1),
             std::max<size_t>(snapshot.tables_per_page, 1),
             std::max<size_t>(snapshot.partitions_per_page, 1)},
      pages_ahead_(std::max<size_t>(snapshot.pages_ahead, 1)),
      interrupt_(std::move(interrupt)),
      work_(scopes, sizes_) {
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
  changed_.wait(lock, [&] { return stopping_ || finished() || !work_.empty(); });
  if (stopping_ || work_.empty()) {
    return std::nullopt;
  }
  ++busy_;
  return work_.take();
}

void ParallelStream::deliver(UnitResult result) {
  std::unique_lock lock(mutex_);
  // One without objects only has to wake whoever waits.
  if (result.page && (has_objects(*result.page) || pages_.empty())) {
    changed_.wait(lock, [&] { return stopping_ || pages_.size() < pages_ahead_; });
    pages_.push_back(std::move(*result.page));
  }
  work_.add(std::move(result));
  --busy_;
  changed_.notify_all();
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
  work_.handed_out(page);
  changed_.notify_all();
  return page;
}

follower::SnapshotProgress ParallelStream::progress() const {
  const std::lock_guard lock(mutex_);
  return work_.progress();
}

}  // namespace hmsync::hmsclient
