// Who may write: one lease row, its token, and when to take, renew and give it up. Pure: no thread,
// socket or sleep; time comes from a clock that is passed in.
//
// No wall clock decides. A standby takes the lease when the row has not changed for a whole length,
// its own or the holder's if that is longer, by its own monotonic clock, counted from the reply
// that showed the row; the holder counts from the moment when it sent the request that succeeded,
// and to two thirds of the length only. So two holders never overlap by their own clocks while
// these run alike within a third. A clock that stands still with its machine (a suspended one) is
// beyond that: then the token, which every writing transaction is conditional on, keeps the old
// holder out.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "processor/error.h"

namespace hmsync::leader {

/// Made at each acquisition. The nonce is there because a lossy database fail-over can forget an
/// epoch.
struct Token {
  int64_t epoch = 0;
  std::string nonce;

  auto operator<=>(const Token&) const = default;
};

/// The row as it was read. One that is missing reads as a released one of epoch 0.
struct LeaseRow {
  Token token;
  /// Numbered by the holder, who uses no number twice under one token: so a row that a lossy
  /// fail-over took back does not come to look as it did before.
  int64_t renewal = 0;
  bool released = true;
  std::chrono::milliseconds length{0};  ///< the holder's: replicas may be configured differently
  std::string instance;                 ///< who holds it, or held it last
  double since = 0;  ///< seconds since 1970 by the database's clock: shown, never decided by

  /// Whether somebody wrote the row between two reads.
  [[nodiscard]] bool same_version(const LeaseRow& other) const {
    return token == other.token && renewal == other.renewal && released == other.released;
  }
};

/// The lease row of one server. Calls block for less than a renewal interval, and throw
/// Error(transient) when it is not known whether they had an effect, Error(fatal) when an operator
/// must act. Used by one thread.
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;

  virtual LeaseRow read() = 0;
  /// In one transaction, if the row is still this version: ends those of the old holder's sessions
  /// that still run, so that none blocks its successor, then writes the token to lease and follower
  /// state. The row as written, whose `since` is the database's; nothing if somebody was faster.
  virtual std::optional<LeaseRow> acquire(const LeaseRow& expected, const LeaseRow& next) = 0;
  /// False if the row has another token, or was released.
  virtual bool renew(const Token& token, int64_t renewal) = 0;
  /// Marks the row as free, if it has this token. The row stays: its epoch is needed.
  virtual void release(const Token& token) = 0;
};

/// All follow from the lease's length; apart here so that their relations can be checked.
struct LeaseTimes {
  std::chrono::milliseconds length;
  std::chrono::milliseconds renewal;  ///< the holder renews so often
  std::chrono::milliseconds hold;     ///< the holder counts on it so long after a renewal
  std::chrono::milliseconds look;     ///< a standby reads the row, a failed call is repeated
  /// Most that connecting may take, and most that a statement may, with a server that is silent
  std::chrono::milliseconds call;
};

LeaseTimes lease_times(std::chrono::milliseconds length);
/// Throws Error(fatal) that names both settings of a relation that does not hold.
void check(const LeaseTimes& times);

struct LeaseStep {
  enum class Change { none, elected, deposed };

  Change change = Change::none;
  std::string reason;                ///< why deposed
  std::optional<Error> failure;      ///< the call of this step that failed, to be reported
  std::chrono::milliseconds wait{};  ///< until the next step
};

class Lease {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Now = std::function<Time()>;

  /// `instance` is shown to people; it need not be unique. Throws as check() does.
  Lease(LeaseStore& store, const LeaseTimes& times, std::string instance, Now now);

  /// Reads, takes or renews, whichever is due. Never throws Error: a failure is part of the answer,
  /// and the lease is kept until its own deadline in spite of it.
  LeaseStep step();

  /// The owner learnt elsewhere that somebody else writes: not held from now on, nothing is
  /// written.
  void resign();
  /// After all work under the token has stopped: frees the row if its token is this process's.
  /// Throws what the store throws; not held any more in any case.
  void release();

  /// The holder's token; kept until step() tells of the deposition, so ask held_until() too.
  [[nodiscard]] const std::optional<Token>& token() const { return token_; }
  /// The end of what the holder may count on; in the past when not held.
  [[nodiscard]] Time held_until() const { return held_until_; }
  /// As last seen; nothing before the first read.
  [[nodiscard]] const std::optional<LeaseRow>& row() const { return row_; }

 private:
  LeaseStep hold();
  LeaseStep stand_by();
  LeaseStep depose(std::string reason);
  bool take();
  [[nodiscard]] bool is_free(Time seen_at) const;

  LeaseStore& store_;
  const LeaseTimes times_;
  const std::string instance_;
  const Now now_;

  std::optional<Token> token_;
  Time held_until_ = Time::min();
  Time renew_at_ = Time::min();
  bool resigned_ = false;

  std::optional<LeaseRow> row_;
  Time unchanged_since_ = Time::min();  ///< of row_
  std::optional<Token> last_written_;   ///< by this process, for certain or perhaps
};

}  // namespace hmsync::leader
