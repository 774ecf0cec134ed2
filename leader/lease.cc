#include "leader/lease.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace hmsync::leader {

namespace {

using std::chrono::milliseconds;

std::string random_nonce() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

milliseconds until(Lease::Time then, Lease::Time now) {
  return std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(then - now));
}

void check_below(const char* small_name, milliseconds small, const char* large_name,
                 milliseconds large) {
  if (small.count() > 0 && small < large) return;
  throw Error(ErrorKind::fatal,
              fmt::format("the lease's {} of {} ms must be above zero and below its {} of {} ms: "
                          "choose a longer leader.lease",
                          small_name, small.count(), large_name, large.count()));
}

}  // namespace

LeaseTimes lease_times(milliseconds length) {
  // A renewal that fails with all its time-outs used up ends at two thirds, with a call to connect
  // and one to write in it.
  return {.length = length,
          .renewal = length / 3,
          .hold = length * 2 / 3,
          .look = std::min(length / 20, milliseconds{500}),
          .call = length / 6};
}

void check(const LeaseTimes& times) {
  check_below("time to look again", times.look, "renewal interval", times.renewal);
  check_below("call time-out", times.call, "renewal interval", times.renewal);
  check_below("renewal interval", times.renewal, "holding time", times.hold);
  check_below("holding time", times.hold, "length", times.length);
}

Lease::Lease(LeaseStore& store, const LeaseTimes& times, std::string instance, Now now)
    : store_(store), times_(times), instance_(std::move(instance)), now_(std::move(now)) {
  check(times_);
}

LeaseStep Lease::step() {
  LeaseStep step;
  try {
    step = token_ ? hold() : stand_by();
  } catch (const Error& error) {
    step.failure = error;
    step.wait = times_.look;
    if (token_) step.wait = std::min(step.wait, until(held_until_, now_()));
  }
  return step;
}

LeaseStep Lease::hold() {
  const Time start = now_();
  if (resigned_) return depose("a write was refused because another process leads");
  if (start >= held_until_) {
    return depose(fmt::format("no renewal of the lease succeeded within {} ms of the last one",
                              times_.hold.count()));
  }
  if (start >= renew_at_) {
    // Counted also where the reply is lost, or a fail-over takes the row back.
    ++row_->renewal;
    if (!store_.renew(*token_, row_->renewal)) return depose("another process took the lease");
    // Whoever asked meanwhile was told that the token had run out: it must not come to life again.
    if (now_() >= held_until_) return depose("the renewal of the lease was answered too late");
    held_until_ = start + times_.hold;
    renew_at_ = start + times_.renewal;
  }
  LeaseStep step;
  step.wait = until(renew_at_, now_());
  return step;
}

LeaseStep Lease::depose(std::string reason) {
  token_.reset();
  resigned_ = false;
  held_until_ = Time::min();
  LeaseStep step;
  step.change = LeaseStep::Change::deposed;
  step.reason = std::move(reason);
  step.wait = times_.look;
  return step;
}

LeaseStep Lease::stand_by() {
  const LeaseRow seen = store_.read();
  const Time seen_at = now_();  // after the reply: the row may have been written since the request
  if (!row_ || !seen.same_version(*row_)) unchanged_since_ = seen_at;
  row_ = seen;

  LeaseStep step;
  step.wait = times_.look;
  if (is_free(seen_at) && take()) {
    step.change = LeaseStep::Change::elected;
    step.wait = until(renew_at_, now_());
  }
  return step;
}

bool Lease::is_free(Time seen_at) const {
  // A token of this process's own that it does not hold: its work is over, or the reply to its
  // acquisition was lost.
  const bool own = last_written_ && row_->token == *last_written_;
  return row_->released || own ||
         seen_at - unchanged_since_ >= std::max(times_.length, row_->length);
}

bool Lease::take() {
  // The epoch does not go back even where the database's did.
  const int64_t last_epoch = last_written_ ? last_written_->epoch : 0;
  const Token next{std::max(row_->token.epoch, last_epoch) + 1, random_nonce()};
  const auto written_before = std::exchange(last_written_, next);
  const Time start = now_();
  const auto acquired = store_.acquire(
      *row_, {.token = next, .released = false, .length = times_.length, .instance = instance_});
  if (!acquired) {
    last_written_ = written_before;
    return false;
  }
  row_ = acquired;
  if (now_() >= start + times_.hold) {
    throw Error(ErrorKind::transient,
                "the lease was taken, but the database's answer came too late to use it; it is "
                "taken again");
  }
  token_ = next;
  held_until_ = start + times_.hold;
  renew_at_ = start + times_.renewal;
  return true;
}

void Lease::resign() {
  resigned_ = token_.has_value();
  held_until_ = Time::min();
}

void Lease::release() {
  token_.reset();
  resigned_ = false;
  held_until_ = Time::min();
  if (!last_written_) return;
  store_.release(*last_written_);
  if (row_ && row_->token == *last_written_) row_->released = true;
}

}  // namespace hmsync::leader
