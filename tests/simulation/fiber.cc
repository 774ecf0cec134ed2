#include "tests/simulation/fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#ifdef HMSYNC_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace hmsync::simulation {
namespace {

constexpr size_t kStackBytes = size_t{1} << 20;  // touched pages alone are memory

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  void* const stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) throw std::bad_alloc();
  stack_ = static_cast<char*>(stack);
}

Fiber::~Fiber() { munmap(stack_, kStackBytes); }

void Fiber::start(unsigned int high, unsigned int low) {
  reinterpret_cast<Fiber*>((uintptr_t{high} << 32) | low)->run();
}

void Fiber::run() {
#ifdef HMSYNC_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(nullptr, &owner_bottom_, &owner_size_);
#endif
  try {
    body_();
  } catch (...) {
    thrown_ = std::current_exception();
  }
  body_ = nullptr;
  ended_ = true;
  switch_to_owner(true);
}

void Fiber::swap_exceptions() {
  ExceptionState now;
  auto* const globals = abi::__cxa_get_globals();
  std::memcpy(static_cast<void*>(&now), globals, sizeof now);
  std::memcpy(static_cast<void*>(globals), &exceptions_, sizeof exceptions_);
  exceptions_ = now;
}

void Fiber::switch_to_fiber() {
#ifdef HMSYNC_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&owner_fake_stack_, stack_, kStackBytes);
#endif
  swap_exceptions();
  swapcontext(&owner_, &own_);
  swap_exceptions();
#ifdef HMSYNC_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(owner_fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::switch_to_owner([[maybe_unused]] bool for_ever) {
#ifdef HMSYNC_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(for_ever ? nullptr : &own_fake_stack_, owner_bottom_, owner_size_);
#endif
  swapcontext(&own_, &owner_);
#ifdef HMSYNC_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(own_fake_stack_, &owner_bottom_, &owner_size_);
#endif
}

void Fiber::enter() {
  if (!std::exchange(begun_, true)) {
    getcontext(&own_);
    own_.uc_stack.ss_sp = stack_;
    own_.uc_stack.ss_size = kStackBytes;
    own_.uc_link = nullptr;
    const auto self = reinterpret_cast<uintptr_t>(this);
    // makecontext passes ints.
    makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::start), 2,
                static_cast<unsigned int>(self >> 32), static_cast<unsigned int>(self));
  }
  switch_to_fiber();
}

void Fiber::leave() { switch_to_owner(false); }

}  // namespace hmsync::simulation
