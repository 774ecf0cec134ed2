// From a change in a real metastore to readers, and from a commit to whoever waits for it; and how
// long nobody leads after a leader is gone.
#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/bench/bare_session.h"
#include "tests/bench/measures.h"
#include "tests/bench/memory_deployment.h"
#include "tests/fixtures/eventually.h"
#include "tests/fixtures/private_folder.h"
#include "tests/integration/ddl_workload.h"
#include "tests/integration/deployment.h"
#include "tests/integration/wait_crowd.h"

namespace hmsync::bench {

namespace {

using fixtures::MiniHmsync;
using integration::Deployment;
using integration::WaitCrowd;

hmsclient::TableSpec table(int number) {
  hmsclient::TableSpec table;
  table.database = "latency";
  table.table = "t" + std::to_string(number);
  return table;
}

std::unique_ptr<MiniHmsync> started(const Deployment& deployment, const std::string& lease = "") {
  auto options = deployment.daemon_options();
  options.lease = lease;
  options.poll_interval = "500ms";
  auto daemon = std::make_unique<MiniHmsync>(options);
  daemon->await_ready();
  return daemon;
}

/// The moments when one event was committed, and when each of two daemons told who waited for it.
void measure_waiters(Report& report, const Size& size, Deployment& deployment) {
  const auto leader = started(deployment);
  run_verb(*leader, {"wait"});
  const auto standby = started(deployment);
  BareSession session(deployment.dsn());
  session.run("LISTEN hmsync_cursor");
  WaitCrowd crowd;
  Figure readable{"7", "DDL answered to readable, 500 ms poll", "ms", {}};
  Figure here{"7", "committed to told, at the leader", "ms", {}};
  Figure there{"7", "committed to told, at a standby", "ms", {}};
  std::mt19937 random(1);
  deployment.ddl().create_database({"latency"});
  run_verb(*leader, {"wait"});
  for (int i = 0; i < (size.quick ? 5 : 200); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 500));
    const int64_t event = integration::status_of(*leader).cursor + 1;
    const size_t at_leader = crowd.wait(leader->admin_port(), event, std::chrono::seconds(10));
    crowd.wait(standby->admin_port(), event, std::chrono::seconds(10));
    while (session.notified()) {  // of what came before
    }
    deployment.ddl().create_table(table(i));
    const auto answered = std::chrono::steady_clock::now();
    std::optional<std::chrono::steady_clock::time_point> committed;
    while (crowd.waiting() > 0) {
      const std::vector<size_t> told = crowd.run(std::chrono::milliseconds(1));
      const auto now = std::chrono::steady_clock::now();
      if (!committed && session.notified()) committed = now;
      for (const size_t waiter : told) {
        if (crowd.answer(waiter).body.find("\"reached\":true") == std::string::npos) {
          throw std::runtime_error("wait: " + crowd.answer(waiter).body);
        }
        // Told before this session was: sooner than can be measured here.
        const auto begun = committed.value_or(now);
        (waiter == at_leader ? here : there)
            .values.push_back(1000 * std::chrono::duration<double>(now - begun).count());
        if (waiter == at_leader) readable.values.push_back(1000 * seconds_since(answered));
      }
    }
    run_verb(*leader, {"wait"});
  }
  for (const Figure& figure : {readable, here, there}) {
    report.add(figure);
    report.add({"7", figure.what + ": p99", "ms", {at_share(figure.values, 0.99)}});
  }
}

/// From the signal to the first commit of the next leader.
double seconds_without_leader(Deployment& deployment, int signal) {
  auto leader = started(deployment, "3s");
  run_verb(*leader, {"wait"});
  const auto standby = started(deployment, "3s");
  const fixtures::PrivateFolder folder("failover");
  integration::DdlWorkload workload(deployment.hms().uri(), folder.path(), 4, 7);
  workload.start();
  BareSession session(deployment.dsn());
  const int64_t epoch = std::stoll(session.read_value("SELECT token_epoch FROM followers"));
  const int64_t cursor = std::stoll(session.read_value("SELECT cursor FROM followers"));
  if (!fixtures::eventually(std::chrono::minutes(1), [&] {
        return std::stoll(session.read_value("SELECT cursor FROM followers")) >= cursor + 20;
      })) {
    throw std::runtime_error("nothing is followed: " + leader->log());
  }
  leader->send(signal);
  const auto begun = std::chrono::steady_clock::now();
  const std::string leads = fmt::format(
      "SELECT token_epoch > {} AND last_progress_at > (SELECT since FROM leases)"
      " FROM followers JOIN follower_progress USING (server)",
      epoch);
  // Not at the growing intervals of eventually(): the time of it is what is measured.
  while (session.read_value(leads) != "t") {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (seconds_since(begun) > 60) throw std::runtime_error("nobody leads: " + standby->log());
  }
  const double took = seconds_since(begun);
  workload.stop();
  leader->kill();
  return took;
}

}  // namespace

void measure_latency(Report& report, const Size& size) {
  {
    Deployment deployment;
    measure_waiters(report, size, deployment);
  }
  Figure terminated{"8", "without a leader after SIGTERM, lease 3 s", "s", {}};
  Figure killed{"8", "without a leader after SIGKILL, lease 3 s", "s", {}};
  for (int i = 0; i < size.rounds; ++i) {
    for (auto* figure : {&terminated, &killed}) {
      Deployment deployment;
      figure->values.push_back(
          seconds_without_leader(deployment, figure == &killed ? SIGKILL : SIGTERM));
    }
  }
  report.add(terminated);
  report.add(killed);
}

}  // namespace hmsync::bench
