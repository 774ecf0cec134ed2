// What `status` complains of: a fixed list of codes, each with what an operator does about it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hmsync::daemon {

enum class ProblemCode {
  store_unreachable,         ///< the database does not answer
  store_refused,             ///< it answers, but rights or schema are wrong
  metastore_unreachable,     ///< no address of the metastore answers
  metastore_not_authorised,  ///< it answers, but refuses what is asked
  no_leader,                 ///< nobody holds the lease
  loop_stuck,                ///< the loop is far past the time-out of what it does
  snapshot_failed,           ///< the last snapshot did not succeed; another is tried
  paused,
  quarantine,        ///< there are events that could not be applied
  suspended_grants,  ///< there are grants whose object vanished without an event
};

/// As `status` and the metric hmsync_problem name it.
const char* to_string(ProblemCode code);
/// What to do, in a sentence.
const char* action_for(ProblemCode code);
const std::vector<ProblemCode>& all_problem_codes();

struct Problem {
  ProblemCode code = ProblemCode::store_unreachable;
  double since = 0;   ///< seconds since 1970
  int64_t count = 1;  ///< how often it was met since, or how many there are
  std::string message;
};

}  // namespace hmsync::daemon
