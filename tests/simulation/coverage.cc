#include "tests/simulation/coverage.h"

#include <algorithm>

namespace hmsync::simulation {
namespace {

// Calls that only read: whether they fail before or after they have read is the same.
constexpr std::array<std::string_view, 13> kReads{"metastore:head",
                                                  "metastore:uuid",
                                                  "metastore:plain_listener",
                                                  "metastore:count_tables",
                                                  "metastore:table",
                                                  "metastore:database",
                                                  "metastore:events",
                                                  "metastore:list",
                                                  "metastore:page",
                                                  "store:state",
                                                  "store:pending",
                                                  "store:compare",
                                                  "lease:read"};

}  // namespace

const char* to_string(Fault fault) {
  switch (fault) {
    case Fault::fails:
      return "fails";
    case Fault::lost_reply:
      return "lost reply";
    case Fault::hangs:
      return "hangs";
    case Fault::late_reply:
      return "late reply";
    case Fault::crash:
      return "crash";
    case Fault::crash_after:
      return "crash after";
    case Fault::stop:
      return "stop";
  }
  return "";
}

bool possible(Fault fault, std::string_view call) {
  const bool after =
      fault == Fault::lost_reply || fault == Fault::late_reply || fault == Fault::crash_after;
  return !after || std::find(kReads.begin(), kReads.end(), call) == kReads.end();
}

}  // namespace hmsync::simulation
