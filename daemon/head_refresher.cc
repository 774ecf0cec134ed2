#include "daemon/head_refresher.h"

#include <utility>

#include "daemon/caught.h"
#include "follower/newest_event.h"

namespace hmsync::daemon {
namespace {

constexpr auto kRecordUnchanged = std::chrono::seconds(5);
// A standby, too, knows whether it could follow.
constexpr auto kLookAnyway = std::chrono::seconds(30);
constexpr auto kLookAfterFailure = std::chrono::seconds(5);

}  // namespace

HeadRefresher::HeadRefresher(Ports ports, StatusBoard& board, std::chrono::milliseconds interval)
    : ports_(std::move(ports)), board_(board), interval_(interval) {}

HeadRefresher::~HeadRefresher() { stop(); }

void HeadRefresher::start() {
  thread_ = std::thread([this] { run(); });
}

void HeadRefresher::ask(std::function<void(const HeadAnswer&)> done) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      asking_.push_back(std::move(done));
      changed_.notify_all();
      return;
    }
  }
  done({std::nullopt, "the daemon is stopping; ask again"});
}

void HeadRefresher::stop() {
  std::vector<std::function<void(const HeadAnswer&)>> left;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    left.swap(asking_);
    changed_.notify_all();
  }
  for (const auto& done : left) done({std::nullopt, "the daemon is stopping; ask again"});
  if (thread_.joinable()) thread_.join();
}

void HeadRefresher::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    changed_.wait_for(lock, interval_, [this] { return stopping_ || !asking_.empty(); });
    if (stopping_) return;
    const auto asking = std::exchange(asking_, {});
    lock.unlock();
    try {
      turn(asking);
    } catch (const std::exception&) {
      board_.failed(Reporter::refresher, ProblemCode::metastore_unreachable, caught().what());
    }
    lock.lock();
  }
}

void HeadRefresher::turn(const std::vector<std::function<void(const HeadAnswer&)>>& asking) {
  const auto seen = board_.head_seen();
  std::optional<int64_t> head;
  if (!asking.empty() || look_is_due(seen)) {
    const HeadAnswer answer = look();
    for (const auto& done : asking) done(answer);
    head = answer.head;
  } else if (seen && std::chrono::steady_clock::now() - seen->asked <= interval_) {
    // An older one would pass for freshly read while the metastore is away. Of two recorded one
    // after the other the second was asked for after the first was recorded: what a revoke that
    // waits for "the first head read afterwards" relies on.
    head = seen->head;
  }
  const bool leads = board_.leads();
  if (head && leads) {
    record(*head);
  } else if (!leads || last_look_failed_) {
    // Nothing is recorded, so no success would ever end what the last attempt told.
    board_.cured(Reporter::refresher, ProblemCode::store_unreachable);
  }
}

bool HeadRefresher::look_is_due(const std::optional<StatusBoard::HeadSeen>& seen) const {
  const auto now = std::chrono::steady_clock::now();
  if (now >= next_look_) return true;
  // The loop's own looks are enough while they come.
  return board_.leads() && !last_look_failed_ && (!seen || now - seen->asked > 2 * interval_);
}

HeadAnswer HeadRefresher::look() {
  const auto asked = std::chrono::steady_clock::now();
  next_look_ = asked + kLookAnyway;
  last_look_failed_ = false;
  try {
    const int64_t head = follower::newest_event(ports_.log);
    board_.saw_head(head, asked);
    board_.cured(Reporter::refresher, ProblemCode::metastore_unreachable);
    board_.cured(Reporter::refresher, ProblemCode::metastore_not_authorised);
    board_.cured(Reporter::refresher, ProblemCode::another_metastore);
    ports_.answered();
    return {head, ""};
  } catch (const follower::AnotherMetastore& error) {
    return failed(ProblemCode::another_metastore, error);
  } catch (const std::exception&) {
    const Error error = caught();
    return failed(error.kind() == ErrorKind::fatal ? ProblemCode::metastore_not_authorised
                                                   : ProblemCode::metastore_unreachable,
                  error);
  }
}

HeadAnswer HeadRefresher::failed(ProblemCode code, const Error& error) {
  next_look_ = std::chrono::steady_clock::now() + kLookAfterFailure;
  last_look_failed_ = true;
  board_.failed(Reporter::refresher, code, error.what());
  return {std::nullopt, error.what()};
}

void HeadRefresher::record(int64_t head) {
  const auto now = std::chrono::steady_clock::now();
  if (recorded_ == head && now - recorded_at_ < kRecordUnchanged) return;
  try {
    ports_.record(head);
    recorded_ = head;
    recorded_at_ = now;
    board_.cured(Reporter::refresher, ProblemCode::store_unreachable);
  } catch (const std::exception&) {
    const Error error = caught();
    board_.failed(Reporter::refresher, ProblemCode::store_unreachable, error.what());
  }
}

}  // namespace hmsync::daemon
