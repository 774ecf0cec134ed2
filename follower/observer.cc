#include "follower/observer.h"

namespace hmsync::follower {

const char* to_string(Step step) {
  switch (step) {
    case Step::idle:
      return "idle";
    case Step::read_orders:
      return "read_orders";
    case Step::read_state:
      return "read_state";
    case Step::read_head:
      return "read_head";
    case Step::read_events:
      return "read_events";
    case Step::apply_batch:
      return "apply_batch";
    case Step::batch_applied:
      return "batch_applied";
    case Step::read_snapshot_page:
      return "read_snapshot_page";
    case Step::stage_snapshot_page:
      return "stage_snapshot_page";
    case Step::replay_on_staging:
      return "replay_on_staging";
    case Step::compare_snapshot:
      return "compare_snapshot";
    case Step::publish_snapshot:
      return "publish_snapshot";
    case Step::snapshot_published:
      return "snapshot_published";
    case Step::clear_staging:
      return "clear_staging";
    case Step::finish_request:
      return "finish_request";
    case Step::trim_logs:
      return "trim_logs";
  }
  return "idle";
}

const char* to_string(Notice::Kind kind) {
  switch (kind) {
    case Notice::Kind::gap:
      return "gap";
    case Notice::Kind::reset:
      return "reset";
    case Notice::Kind::poison:
      return "poison";
    case Notice::Kind::late:
      return "late";
    case Notice::Kind::shared_id:
      return "shared_id";
    case Notice::Kind::refuted:
      return "refuted";
    case Notice::Kind::drift:
      return "drift";
    case Notice::Kind::recovered:
      return "recovered";
    case Notice::Kind::plain_listener:
      return "plain_listener";
  }
  return "gap";
}

const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::starting:
      return "starting";
    case Phase::snapshot:
      return "snapshot";
    case Phase::following:
      return "following";
    case Phase::paused:
      return "paused";
    case Phase::waiting:
      return "waiting";
  }
  return "starting";
}

}  // namespace hmsync::follower
