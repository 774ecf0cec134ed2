#include "tests/simulation/coverage.h"

#include <algorithm>

namespace hmsync::simulation {
namespace {

struct Call {
  std::string_view name;
  bool only_reads = false;
};

constexpr std::array kCalls{
    Call{"lease:acquire"},
    Call{"lease:read", true},
    Call{"lease:release"},
    Call{"lease:renew"},
    Call{"metastore:count_tables", true},
    Call{"metastore:database", true},
    Call{"metastore:events", true},
    Call{"metastore:head", true},
    Call{"metastore:list", true},
    Call{"metastore:page", true},
    Call{"metastore:plain_listener", true},
    Call{"metastore:table", true},
    Call{"metastore:uuid", true},
    Call{"store:add"},
    Call{"store:answer_polls"},
    Call{"store:apply"},
    Call{"store:ask_poll"},
    Call{"store:begin"},
    Call{"store:compare", true},
    Call{"store:discard"},
    Call{"store:finish"},
    Call{"store:look_up", true},
    Call{"store:grant"},
    Call{"store:note"},
    Call{"store:pending", true},
    Call{"store:position", true},
    Call{"store:publish"},
    Call{"store:quarantined", true},
    Call{"store:record_head"},
    Call{"store:repeat_revokes"},
    Call{"store:replay"},
    Call{"store:retried"},
    Call{"store:revoke"},
    Call{"store:revoke_at_once"},
    Call{"store:some_tables", true},
    Call{"store:state", true},
    Call{"store:tables_after", true},
    Call{"store:trim"},
};

constexpr std::array kEventKinds{"(none)",          "ADD_PARTITION", "ALTER_DATABASE",
                                 "ALTER_PARTITION", "ALTER_TABLE",   "CREATE_DATABASE",
                                 "CREATE_TABLE",    "DROP_DATABASE", "DROP_PARTITION",
                                 "DROP_TABLE",      "OPEN_TXN",      "SOMETHING_NEW"};

bool is_after_effect(Fault fault) {
  return fault == Fault::lost_reply || fault == Fault::late_reply || fault == Fault::crash_after;
}

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

std::vector<std::string> all_calls() {
  std::vector<std::string> names;
  for (const Call& call : kCalls) names.emplace_back(call.name);
  return names;
}

std::vector<std::string> all_kinds() { return {kEventKinds.begin(), kEventKinds.end()}; }

bool possible(Fault fault, std::string_view call) {
  if (!is_after_effect(fault)) return true;
  const auto* const found = std::find_if(kCalls.begin(), kCalls.end(),
                                         [&](const Call& known) { return known.name == call; });
  return found == kCalls.end() || !found->only_reads;
}

bool possible(Fault fault, std::string_view call, std::string_view kind) {
  if (kind != kEventKinds.front()) return possible(fault, call);
  // A batch has events, and they are unread until it is applied.
  if (call == "store:apply" && !is_after_effect(fault)) return false;
  // Asked for only while a refused snapshot leaves unread what was lost.
  return call != "metastore:count_tables" && possible(fault, call);
}

}  // namespace hmsync::simulation
