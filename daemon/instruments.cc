#include "daemon/instruments.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "metrics/process_probe.h"
#include "processor/change.h"

namespace hmsync::daemon {
namespace {

constexpr auto kRewindShown = std::chrono::hours(24);

std::vector<std::string> problem_codes() {
  std::vector<std::string> codes;
  for (const ProblemCode code : all_problem_codes()) codes.emplace_back(to_string(code));
  return codes;
}

const std::vector<std::string>& metastore_methods() {
  static const std::vector<std::string> kMethods = {
      "getVersion",
      "get_all_databases",
      "get_all_tables",
      "get_catalogs",
      "get_config_value",
      "get_current_notificationEventId",
      "get_database",
      "get_databases",
      "get_metastore_db_uuid",
      "get_next_notification",
      "get_partition_names",
      "get_partitions_by_names",
      "get_partitions_with_specs",
      "get_table",
      "get_table_objects_by_name",
      "get_table_objects_by_name_req",
      "get_table_req",
      "set_ugi",
  };
  return kMethods;
}

}  // namespace

std::string instance_name() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host = {'?'};
  return fmt::format("{}:{}", host.data(), getpid());
}

Instruments::Instruments(const Configuration& configuration, std::function<void()> commit_due,
                         std::function<void()> commit_sent)
    : exposition(configuration.server),
      daemon_probe(exposition, problem_codes()),
      follower_probe(exposition, processor::known_event_types()),
      leader_probe(exposition),
      metastore_probe(exposition, metastore_methods()),
      snapshot_probe(exposition),
      store_probe(exposition),
      log(log_level(configuration.log.level),
          configuration.log.format == "json" ? LogFormat::json : LogFormat::text,
          [this](LogLevel level) { daemon_probe.logged(to_string(level)); }),
      board(configuration.server, instance_name(), HMSYNC_VERSION, clock),
      loop_store_observer(store_probe, std::move(commit_due), std::move(commit_sent)),
      store_observer(store_probe) {
  metrics::add_process_metrics(exposition, {{"version", HMSYNC_VERSION}});
  exposition.at_scrape([this] {
    const Status status = board.status();
    for (const ProblemCode code : all_problem_codes()) {
      const bool present =
          std::any_of(status.problems.begin(), status.problems.end(),
                      [&](const Problem& problem) { return problem.code == code; });
      daemon_probe.set_problem(to_string(code), present);
    }
  });
}

hmsclient::CallObserver Instruments::call_observer() {
  return [this](const std::string& method, const std::string& outcome,
                std::chrono::steady_clock::duration took) {
    metastore_probe.called(method, outcome, std::chrono::duration<double>(took).count());
  };
}

hmsclient::ProofObserver Instruments::proof_observer() {
  return [this](const std::string& uri, const std::string& against) { saw_proof(uri, against); };
}

void Instruments::saw_proof(const std::string& uri, const std::string& against) {
  const std::lock_guard lock(proofs_mutex_);
  if (against.empty()) {
    if (elsewhere_.erase(uri) > 0 && elsewhere_.empty()) {
      board.cured(Reporter::proof, ProblemCode::another_metastore);
    }
    return;
  }
  elsewhere_[uri] = against;
  failed(Reporter::proof, ProblemCode::another_metastore,
         Error(ErrorKind::transient,
               fmt::format("{} leads to another metastore and is not used: {}", uri, against)));
}

LoopObserver::Parts Instruments::loop_observer_parts() {
  return {log, board, watchdog, follower_probe, snapshot_probe};
}

void Instruments::saw_lease(const leader::ElectionStatus& status) {
  if (!status.row) return;
  const leader::LeaseRow& row = *status.row;
  // After a deposition the row may still name this process: then nobody leads.
  const bool held = !row.released && (status.leads || row.instance != instance_name());
  board.saw_lease(row.instance, row.since, row.token.epoch, held);
  if (!status.leads) leader_probe.saw_epoch(row.token.epoch);
}

void Instruments::saw_store(const StoreView& view) {
  board.saw_store(view);
  follower_probe.set_quarantined_now(view.quarantined);
  follower_probe.set_suspended_grants(view.suspended_grants);
  if (board.leads()) return;
  follower_probe.set_paused(view.paused.has_value());
  if (!view.cursor || !view.head) return;
  follower_probe.learned(*view.cursor, *view.head, view.caught_up_ago);
}

void Instruments::saw_progress(const RewindJudge::Mark& mark, const store::StoreProgress& found) {
  const auto rewind = rewinds.judge(mark, found, clock.now());
  if (!rewind) return;
  const std::string text = text_of(*rewind);
  follower_probe.store_rewound();
  board.failed(Reporter::watcher, ProblemCode::store_rewound, text);
  log.warn(text, {{"problem", to_string(ProblemCode::store_rewound)}});
}

void Instruments::judge_rewinds() {
  const auto last = rewinds.last();
  if (last && clock.now() - last->at > kRewindShown) {
    board.cured(Reporter::watcher, ProblemCode::store_rewound);
  }
}

void Instruments::saw_head() {
  const Status status = board.status();
  if (!status.leads || !status.cursor || !status.head) return;
  follower_probe.learned(*status.cursor, *status.head, status.lag_seconds);
}

void Instruments::failed(Reporter reporter, ProblemCode code, const Error& error) {
  if (board.failed(reporter, code, error.what())) {
    log.warn(error.what(), {{"problem", to_string(code)}, {"kind", to_string(error.kind())}});
  }
}

void Instruments::judge_loop() {
  if (watchdog.alive()) return board.cured(Reporter::watchdog, ProblemCode::loop_stuck);
  if (board.failed(Reporter::watchdog, ProblemCode::loop_stuck,
                   "the loop is far past the time-out of its step")) {
    log.error("the loop is stuck");
  }
}

}  // namespace hmsync::daemon
