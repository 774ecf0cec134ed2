#include "daemon/status_board.h"

#include <fmt/format.h>

#include <algorithm>

namespace hmsync::daemon {

StatusBoard::StatusBoard(std::string server, std::string instance, std::string version,
                         const follower::Clock& clock)
    : clock_(clock) {
  facts_.server = std::move(server);
  facts_.instance = std::move(instance);
  facts_.version = std::move(version);
}

void StatusBoard::note_position(std::optional<int64_t> cursor, int64_t generation) {
  facts_.cursor = cursor;
  facts_.generation = generation;
}

// A head counts from when it was asked for: later it may be another.
void StatusBoard::note_head(int64_t head, Time asked) {
  if (head_at_ && asked < *head_at_) return;
  facts_.head = head;
  head_at_ = asked;
}

void StatusBoard::note_caught_up(int64_t head, Time asked) {
  if (facts_.cursor && *facts_.cursor >= head) note_moment(asked);
}

void StatusBoard::note_moment(Time caught_up) {
  caught_up_ = caught_up_ ? std::max(*caught_up_, caught_up) : caught_up;
}

void StatusBoard::note_counts(int64_t quarantined, int64_t suspended_grants) {
  if (facts_.quarantined == 0) quarantine_since_ = clock_.wall_seconds();
  if (facts_.suspended_grants == 0) suspended_since_ = clock_.wall_seconds();
  facts_.quarantined = quarantined;
  facts_.suspended_grants = suspended_grants;
}

void StatusBoard::polled(const follower::PollReport& report) {
  const std::lock_guard lock(mutex_);
  loop_reported_ = true;
  facts_.phase = report.phase;
  facts_.paused = report.pause;
  facts_.metastore_uuid = report.state.metastore_uuid;
  note_position(report.state.cursor, report.state.generation);
  // The loop knows each of its commits: a view of a later one was of a store that then lost it.
  counted_ = std::min(counted_, report.state.commit_number);
  // A pause does not ask for the head: it is the one of before.
  if (report.metastore_answered && report.phase != follower::Phase::paused) {
    reported_.erase({ProblemCode::metastore_unreachable, Reporter::refresher});
    reported_.erase({ProblemCode::metastore_not_authorised, Reporter::refresher});
    reported_.erase({ProblemCode::another_metastore, Reporter::refresher});
    note_head(report.head, clock_.now() - report.took);
    note_caught_up(report.head, clock_.now() - report.took);
  }
}

void StatusBoard::applied(const follower::BatchReport& report) {
  const std::lock_guard lock(mutex_);
  note_position(report.state.cursor, report.state.generation);
  // Between the commit and this report the store may have been looked at.
  if (report.state.commit_number <= counted_) return;
  counted_ = report.state.commit_number;
  facts_.totals.applied += report.counts.applied;
  facts_.totals.ignored += report.counts.ignored;
  facts_.totals.quarantined += report.counts.quarantined;
  facts_.totals.late += report.counts.late;
  facts_.totals.shared_id += report.counts.shared_id;
  facts_.totals.refuted += report.counts.refuted;
  note_counts(facts_.quarantined + report.counts.quarantined, facts_.suspended_grants);
}

void StatusBoard::snapshot(const follower::SnapshotReport& report) {
  const std::lock_guard lock(mutex_);
  if (report.state == follower::SnapshotReport::State::running) {
    facts_.snapshot = report.progress;
  } else {
    facts_.snapshot.reset();
  }
}

bool StatusBoard::failed(Reporter reporter, ProblemCode code, const std::string& message) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = reported_.try_emplace({code, reporter});
  Problem& problem = found->second;
  const bool is_news = is_new || problem.message != message;
  if (is_new) problem = {code, clock_.wall_seconds(), 0, ""};
  ++problem.count;
  problem.message = message;
  facts_.last_error = LastError{clock_.wall_seconds(), message};
  return is_news;
}

void StatusBoard::cured(Reporter reporter, ProblemCode code) {
  const std::lock_guard lock(mutex_);
  reported_.erase({code, reporter});
}

void StatusBoard::forget(Reporter reporter) {
  const std::lock_guard lock(mutex_);
  std::erase_if(reported_, [&](const auto& entry) { return entry.first.second == reporter; });
}

void StatusBoard::cure_store(Reporter reporter) {
  cured(reporter, ProblemCode::store_unreachable);
  cured(reporter, ProblemCode::store_refused);
}

void StatusBoard::elected(int64_t epoch) {
  const std::lock_guard lock(mutex_);
  facts_.leads = true;
  facts_.epoch = epoch;
  facts_.leader = facts_.instance;
  facts_.leader_since = clock_.wall_seconds();
  facts_.phase = follower::Phase::starting;
  loop_reported_ = false;
}

void StatusBoard::deposed() {
  const std::lock_guard lock(mutex_);
  facts_.leads = false;
  facts_.snapshot.reset();
  facts_.leader.clear();
  facts_.leader_since.reset();
  facts_.phase = follower::Phase::starting;
  loop_reported_ = false;
}

void StatusBoard::saw_lease(const std::string& instance, double since, int64_t epoch, bool held) {
  const std::lock_guard lock(mutex_);
  if (facts_.leads) {
    facts_.leader_since = since;
    reported_.erase({ProblemCode::no_leader, Reporter::election});
    return;
  }
  facts_.epoch = epoch;
  facts_.leader = held ? instance : "";
  facts_.leader_since = held ? std::optional<double>(since) : std::nullopt;
  const std::pair key{ProblemCode::no_leader, Reporter::election};
  if (held) {
    reported_.erase(key);
  } else {
    reported_.try_emplace(key, Problem{ProblemCode::no_leader, clock_.wall_seconds(), 1,
                                       "nobody holds the lease: nothing is applied"});
  }
}

void StatusBoard::saw_head(int64_t head, Time asked) {
  const std::lock_guard lock(mutex_);
  note_head(head, asked);
  // While the store is away nobody can read what was applied: lag grows.
  const bool store_is_away = std::any_of(reported_.begin(), reported_.end(), [](const auto& entry) {
    return entry.first.first == ProblemCode::store_unreachable ||
           entry.first.first == ProblemCode::store_refused;
  });
  if (!store_is_away) note_caught_up(head, asked);
}

void StatusBoard::saw_store(const StoreView& view) {
  const std::lock_guard lock(mutex_);
  const bool loop_knows = facts_.leads && loop_reported_;
  // Read before the loop's last commit and come after its report.
  if (!loop_knows || view.commit_number >= counted_) {
    counted_ = view.commit_number;
    note_counts(view.quarantined, view.suspended_grants);
    facts_.totals = view.totals;
  }
  if (loop_knows) return;
  if (view.caught_up_ago) {
    note_moment(clock_.now() - std::chrono::duration_cast<Time::duration>(
                                   std::chrono::duration<double>(*view.caught_up_ago)));
  }
  note_position(view.cursor, view.generation);
  facts_.paused = view.paused;
  if (!view.metastore_uuid.empty()) facts_.metastore_uuid = view.metastore_uuid;
  if (!facts_.leads) facts_.phase = view.phase;
  if (!head_at_ || (view.head && *view.head > facts_.head.value_or(-1))) facts_.head = view.head;
}

void StatusBoard::saw_metastore(const std::string& uri, const std::string& version) {
  const std::lock_guard lock(mutex_);
  facts_.metastore_uri = uri;
  if (!version.empty()) facts_.metastore_version = version;
}

std::vector<Problem> StatusBoard::problems() const {
  std::map<ProblemCode, Problem> merged;
  for (const auto& [key, problem] : reported_) {
    const auto [found, is_new] = merged.try_emplace(key.first, problem);
    if (is_new) continue;
    found->second.since = std::min(found->second.since, problem.since);
    found->second.count += problem.count;
  }
  if (facts_.paused) {
    const follower::Pause& pause = *facts_.paused;
    merged[ProblemCode::paused] = {
        ProblemCode::paused, static_cast<double>(pause.since), 1,
        fmt::format("paused by {}{}", pause.by,
                    pause.reason.empty() ? std::string() : ": " + pause.reason)};
  }
  if (facts_.quarantined > 0) {
    merged[ProblemCode::quarantine] = {
        ProblemCode::quarantine, quarantine_since_, facts_.quarantined,
        fmt::format("{} events could not be applied", facts_.quarantined)};
  }
  if (facts_.suspended_grants > 0) {
    merged[ProblemCode::suspended_grants] = {
        ProblemCode::suspended_grants, suspended_since_, facts_.suspended_grants,
        fmt::format("{} grants authorise nothing; `hmsyncctl suspended list` says why",
                    facts_.suspended_grants)};
  }
  std::vector<Problem> list;
  for (auto& [code, problem] : merged) list.push_back(std::move(problem));
  return list;
}

Status StatusBoard::status() const {
  const std::lock_guard lock(mutex_);
  Status status = facts_;
  if (status.cursor && status.head) {
    status.lag_events = std::max<int64_t>(*status.head - *status.cursor, 0);
  }
  if (caught_up_) {
    status.lag_seconds = std::chrono::duration<double>(clock_.now() - *caught_up_).count();
  }
  status.problems = problems();
  return status;
}

std::optional<StatusBoard::HeadSeen> StatusBoard::head_seen() const {
  const std::lock_guard lock(mutex_);
  if (!head_at_) return std::nullopt;
  return HeadSeen{facts_.head.value_or(0), *head_at_};
}

bool StatusBoard::leads() const {
  const std::lock_guard lock(mutex_);
  return facts_.leads;
}

}  // namespace hmsync::daemon
