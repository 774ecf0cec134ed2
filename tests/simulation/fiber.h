// A stack of its own for a function that can be left in the middle and entered again.
#pragma once

#include <cxxabi.h>
#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>

#if defined(__SANITIZE_ADDRESS__)
#define HMSYNC_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HMSYNC_ADDRESS_SANITIZER 1
#endif
#endif

namespace hmsync::simulation {

/// Entered by its owner, left by itself; both within one thread. Exceptions may be in flight on
/// either side of a switch.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  /// It must have ended, or never begun.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs it until it leaves or ends. Not after its end.
  void enter();
  /// From within the body.
  void leave();
  [[nodiscard]] bool ended() const { return ended_; }
  /// What the body did not catch.
  [[nodiscard]] const std::exception_ptr& thrown() const { return thrown_; }

 private:
  /// What the C++ runtime keeps of a thread's exceptions (Itanium C++ ABI, 2.2.2).
  struct ExceptionState {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  static void start(unsigned int high, unsigned int low);
  void run();
  void swap_exceptions();
  void switch_to_fiber();
  void switch_to_owner(bool for_ever);

  std::function<void()> body_;
  char* stack_ = nullptr;
  ucontext_t own_{};
  ucontext_t owner_{};
  ExceptionState exceptions_;  ///< of the side that does not run
  std::exception_ptr thrown_;
  bool begun_ = false;
  bool ended_ = false;
  // For the address sanitizer: which stack is being used.
  void* own_fake_stack_ = nullptr;
  void* owner_fake_stack_ = nullptr;
  const void* owner_bottom_ = nullptr;
  size_t owner_size_ = 0;
};

}  // namespace hmsync::simulation
