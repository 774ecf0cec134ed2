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
    case ProblemCode::store_rewound:
      return "store_rewound";
    case ProblemCode::snapshot_refused:
      return "snapshot_refused";
    case ProblemCode::another_metastore:
      return "another_metastore";
    case ProblemCode::plain_listener:
      return "plain_listener";
    case ProblemCode::history_lost:
      return "history_lost";
  }
  return "other";
}

const char* action_for(ProblemCode code) {
  switch (code) {
    case ProblemCode::store_unreachable:
      return "see the message: start the database, make it writable, make room on its disk, or "
             "correct store.dsn; the daemon goes on by itself";
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
      return "hmsyncctl quarantine, then retry or skip them; the objects that they name are read "
             "again from the metastore anyway";
    case ProblemCode::suspended_grants:
      return "hmsyncctl suspended list, then restore or purge them";
    case ProblemCode::store_rewound:
      return "do again what was granted and revoked shortly before; let PostgreSQL replicate "
             "synchronously (synchronous_standby_names), so that a fail-over loses nothing";
    case ProblemCode::snapshot_refused:
      return "look whether metastore.uris lead to the right metastore, whole; if so many tables "
             "are "
             "really gone: hmsyncctl resync --force";
    case ProblemCode::another_metastore:
      return "correct metastore.uris; nothing is read from a metastore that is not the one "
             "followed";
    case ProblemCode::plain_listener:
      return "let the metastore use hive.metastore.transactional.event.listeners in place of "
             "hive.metastore.event.listeners; until then each event is believed only after its "
             "object was read again";
    case ProblemCode::history_lost:
      return "nothing, once the snapshot is published; if it comes again: let the metastore keep "
             "its "
             "events longer (hive.metastore.event.db.listener.timetolive)";
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
      ProblemCode::store_rewound,
      ProblemCode::snapshot_refused,
      ProblemCode::another_metastore,
      ProblemCode::plain_listener,
      ProblemCode::history_lost,
  };
  return kAll;
}

}  // namespace hmsync::daemon
