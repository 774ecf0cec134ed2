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
  quarantine,         ///< there are events that could not be applied
  suspended_grants,   ///< there are grants whose object vanished without an event
  store_rewound,      ///< the database lost its last commits
  snapshot_refused,   ///< the metastore has so much less that a snapshot was not believed
  another_metastore,  ///< what can be reached is not the metastore that is followed
  plain_listener,     ///< the metastore logs operations that it then refuses
  history_lost,       ///< events are missing, or the log is another one: a snapshot makes up for it
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
