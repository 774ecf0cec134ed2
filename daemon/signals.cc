#include "daemon/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <csignal>
#include <cstdint>

#include "processor/error.h"

namespace hmsync::daemon {
namespace {

sigset_t set_of(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  return set;
}

}  // namespace

Signals::Signals() {
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t handled = set_of({SIGTERM, SIGINT, SIGHUP, SIGUSR1});
  pthread_sigmask(SIG_BLOCK, &handled, nullptr);
  signals_ = signalfd(-1, &handled, SFD_NONBLOCK | SFD_CLOEXEC);
  wake_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (signals_ < 0 || wake_ < 0) throw Error(ErrorKind::fatal, "no file descriptor is left");
}

Signals::~Signals() {
  close(signals_);
  close(wake_);
}

std::optional<int> Signals::wait(std::chrono::milliseconds time) {
  pollfd polled[] = {{signals_, POLLIN, 0}, {wake_, POLLIN, 0}};
  if (poll(polled, 2, static_cast<int>(time.count())) <= 0) return std::nullopt;
  uint64_t wakes = 0;
  [[maybe_unused]] const auto drained = read(wake_, &wakes, sizeof wakes);
  signalfd_siginfo info{};
  if (read(signals_, &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void Signals::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);
}

void Signals::let_end() {
  const sigset_t ending = set_of({SIGTERM, SIGINT});
  pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
}

}  // namespace hmsync::daemon
