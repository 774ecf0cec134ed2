// The daemon, but it does something to itself at a named point:
//   HMSYNC_CRASH_AT=POINT:COUNT  kills itself
//   HMSYNC_STOP_AT=POINT:COUNT   stands still (SIGSTOP), until it is sent SIGCONT
// where POINT is a step of the loop (entered just before its port call), STEP.commit_due (a
// transaction of several round trips in that step is about to send its COMMIT: its locks are held)
// or commit_sent (a COMMIT is on its way, its answer not yet read), and COUNT which time it comes
// there, from 1. And its wall clock is wrong by as many seconds as the file says that
// HMSYNC_WALL_CLOCK names.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "daemon/program.h"
#include "follower/observer.h"

namespace {

/// Within clock_gettime() nothing may be constructed that could ask for the time.
char wall_clock_file[4096] = "";

long wall_clock_error() {
  if (*wall_clock_file == '\0') return 0;
  std::FILE* file = std::fopen(wall_clock_file, "r");
  if (file == nullptr) return 0;
  long seconds = 0;
  if (std::fscanf(file, "%ld", &seconds) != 1) seconds = 0;
  std::fclose(file);
  return seconds;
}

/// The daemon refuses variables of its prefix that it does not know.
std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  const std::string text = value == nullptr ? "" : value;
  unsetenv(name);
  return text;
}

/// Sends this process a signal at a named point.
class Trap {
 public:
  Trap(const char* variable, int signal) : signal_(signal) {
    const std::string at = take_variable(variable);
    point_ = at.substr(0, at.find(':'));
    if (!point_.empty()) left_ = std::stoi(at.substr(point_.size() + 1));
  }
  void reached(const std::string& here) {
    // To this thread, which then gets no further; one to the process may go to another thread
    // first.
    if (here == point_ && --left_ == 0) pthread_kill(pthread_self(), signal_);
  }

 private:
  const int signal_;
  std::string point_;
  std::atomic<int> left_ = 0;
};

}  // namespace

// Takes the place of the C library's for the whole program.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock == CLOCK_REALTIME) time->tv_sec += wall_clock_error();
  return result;
}

int main(int argc, char** argv) {
  const std::string file = take_variable("HMSYNC_WALL_CLOCK");
  std::snprintf(wall_clock_file, sizeof wall_clock_file, "%s", file.c_str());
  Trap crash("HMSYNC_CRASH_AT", SIGKILL);
  Trap stop("HMSYNC_STOP_AT", SIGSTOP);
  const auto reached = [&](const std::string& here) {
    crash.reached(here);
    stop.reached(here);
  };
  hmsync::daemon::DaemonHooks hooks;
  std::string step;  // of the loop's thread, which makes the loop's connection's calls as well
  hooks.entered = [&](hmsync::follower::Step entered) {
    step = to_string(entered);
    reached(step);
  };
  hooks.commit_due = [&] { reached(step + ".commit_due"); };
  hooks.commit_sent = [&] { reached("commit_sent"); };
  return hmsync::daemon::run_program(argc, argv, hooks);
}
