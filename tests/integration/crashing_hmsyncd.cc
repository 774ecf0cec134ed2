// The daemon, but it kills itself at a named point: HMSYNC_CRASH_AT=POINT:COUNT, where POINT is a
// step of the loop (entered just before its port call) or commit_sent (a COMMIT is on its way, its
// answer not yet read), and COUNT which time it comes there, from 1.
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "daemon/program.h"
#include "follower/observer.h"

int main(int argc, char** argv) {
  const char* setting = std::getenv("HMSYNC_CRASH_AT");
  const std::string crash_at = setting == nullptr ? "" : setting;
  const std::string point = crash_at.substr(0, crash_at.find(':'));
  std::atomic<int> left = point.empty() ? 0 : std::stoi(crash_at.substr(point.size() + 1));
  unsetenv("HMSYNC_CRASH_AT");  // the daemon refuses variables of its prefix that it does not know
  const auto reached = [&](const std::string& here) {
    if (here == point && --left == 0) kill(getpid(), SIGKILL);
  };
  hmsync::daemon::DaemonHooks hooks;
  hooks.entered = [&](hmsync::follower::Step step) { reached(to_string(step)); };
  hooks.commit_sent = [&] { reached("commit_sent"); };
  return hmsync::daemon::run_program(argc, argv, hooks);
}
