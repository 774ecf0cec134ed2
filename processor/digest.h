// What is remembered of an event, to know it again: metastores show events late, twice, or, after a
// reset, others under the same id.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "processor/event.h"

namespace hmsync::processor {

struct EventDigest {
  int64_t id = 0;
  /// Of id, time, type and message: the first half of a SHA-256.
  std::array<std::byte, 16> hash{};

  auto operator<=>(const EventDigest&) const = default;
};

/// Pure. A message that was withheld counts by its length and hash, as if it were there.
EventDigest digest(const Event& event);

/// The hash of a message that comes in parts.
class MessageHash {
 public:
  MessageHash();
  ~MessageHash();
  MessageHash(const MessageHash&) = delete;
  MessageHash& operator=(const MessageHash&) = delete;

  void add(std::string_view part);
  /// Once, after the last part.
  std::array<std::byte, 32> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hmsync::processor
