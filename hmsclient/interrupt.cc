#include "hmsclient/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

#include "processor/error.h"

namespace hmsync::hmsclient {

Interrupt::Interrupt() : descriptor_(std::make_shared<int>(eventfd(0, EFD_CLOEXEC))) {
  if (*descriptor_ < 0) {
    throw Error(ErrorKind::transient,
                std::string("cannot make an eventfd: ") + std::strerror(errno));
  }
}

Interrupt::~Interrupt() { close(*descriptor_); }

void Interrupt::raise() {
  const uint64_t one = 1;
  // Fails only where the counter is full, and then it is raised already.
  [[maybe_unused]] const ssize_t written = write(*descriptor_, &one, sizeof one);
}

bool Interrupt::raised() const { return wait_for(std::chrono::milliseconds(0)); }

bool Interrupt::wait_for(std::chrono::milliseconds time) const {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + time;
  pollfd waited{*descriptor_, POLLIN, 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const auto timeout = std::clamp<int64_t>(left, 0, std::numeric_limits<int>::max());
    const int ready = poll(&waited, 1, static_cast<int>(timeout));
    if (ready > 0) {
      return true;
    }
    if (ready == 0 || errno != EINTR) {
      return false;
    }
  }
}

}  // namespace hmsync::hmsclient
