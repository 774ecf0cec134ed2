#include "daemon/store_watcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "daemon/caught.h"
#include "store/event_store.h"
#include "store/order_store.h"
#include "store/reader.h"

namespace hmsync::daemon {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLongestPoll{5000};

follower::Phase phase_of(const std::string& text) {
  for (const auto phase :
       {follower::Phase::starting, follower::Phase::snapshot, follower::Phase::following,
        follower::Phase::paused, follower::Phase::waiting}) {
    if (text == follower::to_string(phase)) return phase;
  }
  return follower::Phase::starting;
}

StoreView view_of(const store::FollowerRow& row) {
  StoreView view;
  view.commit_number = row.commit_number;
  view.generation = row.generation;
  view.cursor = row.cursor;
  view.head = row.head;
  view.caught_up_ago = row.caught_up_ago;
  view.phase = phase_of(row.phase);
  view.metastore_uuid = row.metastore_uuid;
  view.quarantined = row.quarantined_now;
  view.suspended_grants = row.suspended_grants;
  view.totals = {row.applied, row.ignored, row.quarantined, row.late, row.shared_id, row.refuted};
  return view;
}

}  // namespace

struct StoreWatcher::Sessions {
  Sessions(const Settings& settings, store::ConnectionObserver* observer)
      : listener(settings.store, observer),
        order_connection(settings.store, observer),
        orders(order_connection, settings.server),
        reader(settings.store, settings.server, observer) {
    listener.listen(store::kCursorChannel);
  }

  store::Connection listener;
  store::Connection order_connection;
  store::PostgresOrderStore orders;
  store::Reader reader;
};

StoreWatcher::StoreWatcher(Settings settings, Parts parts)
    : settings_(std::move(settings)),
      parts_(std::move(parts)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wake_ < 0) throw Error(ErrorKind::fatal, "no file descriptor is left");
}

StoreWatcher::~StoreWatcher() {
  stop();
  close(wake_);
}

void StoreWatcher::start() {
  thread_ = std::jthread([this](const std::stop_token& stopped) { run(stopped); });
}

void StoreWatcher::kick() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);
}

void StoreWatcher::look_for_rewind_soon() {
  rewind_due_ = true;
  kick();
}

void StoreWatcher::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  kick();
  thread_.join();
}

void StoreWatcher::run(const std::stop_token& stopped) {
  while (!stopped.stop_requested()) {
    std::vector<WaitDesk::Arrival> arrivals;
    try {
      parts_.tick();
      arrivals = parts_.desk.take_arrivals();
      if (!sessions_) {
        sessions_ = std::make_unique<Sessions>(settings_, parts_.observer);
        rewind_due_ = true;
      }
      look_for_rewind();
      look(arrivals);
      look_for_status();
      failures_ = 0;
      parts_.board.cure_store(Reporter::watcher);
    } catch (const std::exception&) {
      const Error error = caught();
      parts_.desk.refuse(arrivals, error.what());
      failed(error);
    }
    parts_.desk.expire(Clock::now());
    notified_ = wait();
    parts_.desk.expire(Clock::now());
  }
  sessions_.reset();
}

// Nobody waits, nobody asks: then a NOTIFY costs no query.
void StoreWatcher::look(const std::vector<WaitDesk::Arrival>& arrivals) {
  const bool due = Clock::now() - looked_ >= settings_.poll;
  if (arrivals.empty() && !due && !(notified_ && parts_.desk.size() > 0)) return;
  const follower::ReadablePosition position = sessions_->reader.position();
  looked_ = Clock::now();
  std::optional<int64_t> poll;
  if (parts_.desk.needs_poll(arrivals, position)) poll = sessions_->orders.ask_poll();
  parts_.desk.admit(arrivals, position, poll);
}

void StoreWatcher::look_for_rewind() {
  const bool due = Clock::now() - looked_for_rewind_ >= settings_.poll;
  if (!rewind_due_.exchange(false) && !due) return;
  parts_.look_for_rewind(sessions_->order_connection);
  looked_for_rewind_ = Clock::now();
}

void StoreWatcher::look_for_status() {
  const auto interval = parts_.board.leads() ? settings_.status_poll_leading : settings_.poll;
  if (Clock::now() - looked_for_status_ < interval) return;
  const auto row = sessions_->reader.follower_row();
  looked_for_status_ = Clock::now();
  if (!row) return;
  StoreView view = view_of(*row);
  // The loop reads the pause itself.
  if (!parts_.board.leads()) view.paused = sessions_->orders.pending().pause;
  parts_.learned(view);
}

void StoreWatcher::failed(const Error& error) {
  sessions_.reset();
  parts_.desk.forget_polls();
  ++failures_;
  parts_.board.failed(Reporter::watcher,
                      error.kind() == ErrorKind::fatal ? ProblemCode::store_refused
                                                       : ProblemCode::store_unreachable,
                      error.what());
}

// Until a NOTIFY (true), a kick, the next poll or the next waiter's deadline.
bool StoreWatcher::wait() {
  milliseconds time = settings_.poll;
  if (failures_ > 0) time = std::min(settings_.poll * failures_, kLongestPoll);
  if (const auto deadline = parts_.desk.next_deadline()) {
    const auto left = std::chrono::ceil<milliseconds>(*deadline - Clock::now());
    time = std::clamp(left, milliseconds(0), time);
  }
  bool notified = false;
  if (sessions_) {
    try {
      notified = sessions_->listener.wait_for_notification(settings_.server, wake_, time);
    } catch (const std::exception&) {
      failed(caught());
    }
  } else {
    pollfd kicked{wake_, POLLIN, 0};
    poll(&kicked, 1, static_cast<int>(time.count()));
  }
  uint64_t kicks = 0;
  [[maybe_unused]] const auto bytes = read(wake_, &kicks, sizeof kicks);
  return notified;
}

}  // namespace hmsync::daemon
