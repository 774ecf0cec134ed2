#include "daemon/problem.h"

namespace hmsync::daemon {

const char* to_string(ProblemCode code) {
  switch (code) {
    case ProblemCode::store_unreachable:
      return "store_unreachable";
    case ProblemCode::store_refused:
      return "store_refused";
    case ProblemCode::metastore_unreachable:
      return "metastore_unreachable";
    case ProblemCode::metastore_not_authorised:
      return "metastore_not_authorised";
    case ProblemCode::no_leader:
      return "no_leader";
    case ProblemCode::loop_stuck:
      return "loop_stuck";
    case ProblemCode::snapshot_failed:
      return "snapshot_failed";
    case ProblemCode::paused:
      return "paused";
    case ProblemCode::quarantine:
      return "quarantine";
    case ProblemCode::suspended_grants:
      return "suspended_grants";
  }
  return "other";
}

const char* action_for(ProblemCode code) {
  switch (code) {
    case ProblemCode::store_unreachable:
      return "start the database, or correct store.dsn; the daemon goes on by itself once it "
             "answers";
    case ProblemCode::store_refused:
      return "give the role of store.dsn its rights on the schema, or run hmsyncd --migrate";
    case ProblemCode::metastore_unreachable:
      return "start the metastore, or correct metastore.uris; the daemon goes on by itself once it "
             "answers";
    case ProblemCode::metastore_not_authorised:
      return "let metastore.user read the notification log (it must be a proxy user of the "
             "metastore, or hive.metastore.event.db.notification.api.auth be false)";
    case ProblemCode::no_leader:
      return "start another daemon, or look into the log of this one for why it cannot take the "
             "lease";
    case ProblemCode::loop_stuck:
      return "look into the log for the last step; restart this daemon";
    case ProblemCode::snapshot_failed:
      return "see the message; the snapshot is taken again with a growing delay";
    case ProblemCode::paused:
      return "hmsyncctl resume";
    case ProblemCode::quarantine:
      return "look at the quarantine table of the store; the objects named there are read again "
             "from the metastore";
    case ProblemCode::suspended_grants:
      return "hmsyncctl grants --suspended";
  }
  return "";
}

const std::vector<ProblemCode>& all_problem_codes() {
  static const std::vector<ProblemCode> kAll = {
      ProblemCode::store_unreachable,
      ProblemCode::store_refused,
      ProblemCode::metastore_unreachable,
      ProblemCode::metastore_not_authorised,
      ProblemCode::no_leader,
      ProblemCode::loop_stuck,
      ProblemCode::snapshot_failed,
      ProblemCode::paused,
      ProblemCode::quarantine,
      ProblemCode::suspended_grants,
  };
  return kAll;
}

}  // namespace hmsync::daemon
