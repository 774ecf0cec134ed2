// A notification event as it came from the metastore, not understood yet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace hmsync::processor {

/// What is known of a message that is longer than may be held: it was read through.
struct WithheldMessage {
  int64_t bytes = 0;
  std::array<std::byte, 32> hash{};  ///< SHA-256

  bool operator==(const WithheldMessage&) const = default;
};

struct Event {
  int64_t id = 0;
  int64_t time = 0;  ///< seconds since 1970 by the clock of the metastore's host; never for order
  std::string type;  ///< compared exactly as the metastore writes it
  std::optional<std::string> catalog;   ///< from 3.0 on; absent on transaction events
  std::optional<std::string> database;  ///< ALTER_TABLE: the name after the change
  std::optional<std::string> table;
  std::string message;         ///< empty where it is withheld
  std::string message_format;  ///< "json-0.2", "gzip(json-2.0)"; empty where the server sends none
  std::optional<WithheldMessage> withheld = std::nullopt;
};

}  // namespace hmsync::processor
