// A notification event as it came from the metastore, not understood yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hmsync::processor {

struct Event {
  int64_t id = 0;
  int64_t time = 0;  ///< seconds since 1970 by the clock of the metastore's host; never for order
  std::string type;  ///< compared exactly as the metastore writes it
  std::optional<std::string> catalog;   ///< from 3.0 on; absent on transaction events
  std::optional<std::string> database;  ///< ALTER_TABLE: the name after the change
  std::optional<std::string> table;
  std::string message;
  std::string message_format;  ///< "json-0.2", "gzip(json-2.0)"; empty where the server sends none
};

}  // namespace hmsync::processor
