// Events in quarantine, as people look at them and settle them. See quarantine_sql.h for how they
// come there, and order_store.h for how one is tried again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "processor/event.h"
#include "store/connection.h"
#include "store/reader.h"

namespace hmsync::store {

/// All of them, settled ones too, as lines {"event", "type", "database", "table", "reason",
/// "attempts", "first_seen", "state"}; in the order of generation, event and coming.
void quarantine_lines(Connection& connection, const std::string& server, const Reader::Line& line);

struct KeptEvent {
  processor::Event event;
  int64_t generation = 0;
  bool current = false;  ///< of the generation that is followed now: may be tried again
  std::string reason;
  int64_t attempts = 0;
  std::string first_seen;  ///< as in the list
  std::string state;       ///< quarantined, applied or skipped
};

/// All that are kept under this id, those that wait first, then the latest.
std::vector<KeptEvent> kept_events(Connection& connection, const std::string& server,
                                   int64_t event);

/// Those under this id, of any generation, do not wait any more; audited. How many did wait.
int64_t skip_events(Connection& connection, const std::string& server, int64_t event,
                    const std::string& who);

}  // namespace hmsync::store
