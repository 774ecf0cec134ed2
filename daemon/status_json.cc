#include "daemon/status_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>

#include "daemon/json_writer.h"

namespace hmsync::daemon {
namespace {

std::optional<std::string> text_or_null(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

std::optional<std::string> time_or_null(const std::optional<double>& time) {
  if (!time) return std::nullopt;
  return iso_time(*time);
}

void write_snapshot(JsonWriter& json, const std::optional<follower::SnapshotProgress>& snapshot) {
  json.key("snapshot");
  if (!snapshot) {
    json.null();
    return;
  }
  json.begin_object()
      .member("phase", snapshot->phase)
      .member("done", snapshot->done)
      .member("total", snapshot->total)
      .end_object();
}

void write_totals(JsonWriter& json, const follower::EventCounts& totals) {
  json.key("totals")
      .begin_object()
      .member("applied", totals.applied)
      .member("ignored", totals.ignored)
      .member("quarantined", totals.quarantined)
      .member("late", totals.late)
      .member("shared_id", totals.shared_id)
      .member("refuted", totals.refuted)
      .end_object();
}

void write_problems(JsonWriter& json, const std::vector<Problem>& problems) {
  json.key("problems").begin_array();
  for (const Problem& problem : problems) {
    json.begin_object()
        .member("code", to_string(problem.code))
        .member("since", iso_time(problem.since))
        .member("count", problem.count)
        .member("message", problem.message)
        .member("action", action_for(problem.code))
        .end_object();
  }
  json.end_array();
}

}  // namespace

std::string iso_time(double seconds_since_1970) {
  const auto milliseconds = static_cast<int64_t>(std::llround(seconds_since_1970 * 1000));
  const auto seconds =
      static_cast<time_t>(milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds),
                     milliseconds - int64_t{seconds} * 1000);
}

std::string pause_json(const std::optional<follower::Pause>& pause) {
  if (!pause) return "null";
  JsonWriter json;
  json.begin_object()
      .member("by", pause->by)
      .member("since", iso_time(static_cast<double>(pause->since)))
      .member("until", pause->until ? std::optional<std::string>(
                                          iso_time(static_cast<double>(*pause->until)))
                                    : std::nullopt)
      .member("reason", text_or_null(pause->reason))
      .end_object();
  return json.text();
}

std::string status_json(const Status& status) {
  JsonWriter json;
  json.begin_object()
      .member("server", status.server)
      .member("instance", status.instance)
      .member("version", status.version)
      .member("role", status.leads ? "leader" : "standby")
      .member("epoch", status.epoch)
      .member("cursor", status.cursor)
      .member("head", status.head)
      .member("lag_events", status.lag_events)
      .member("lag_seconds", status.lag_seconds)
      .member("generation", status.generation)
      .member("phase", follower::to_string(status.phase));
  write_snapshot(json, status.snapshot);
  json.member("quarantined", status.quarantined)
      .member("suspended_grants", status.suspended_grants);
  write_totals(json, status.totals);
  json.key("metastore")
      .begin_object()
      .member("uri", text_or_null(status.metastore_uri))
      .member("uuid", text_or_null(status.metastore_uuid))
      .member("version", text_or_null(status.metastore_version))
      .end_object();
  json.key("leader");
  if (status.leader.empty()) {
    json.null();
  } else {
    json.begin_object()
        .member("instance", status.leader)
        .member("since", time_or_null(status.leader_since))
        .end_object();
  }
  json.key("paused").raw(pause_json(status.paused));
  json.key("last_error");
  if (status.last_error) {
    json.begin_object()
        .member("time", iso_time(status.last_error->time))
        .member("message", status.last_error->message)
        .end_object();
  } else {
    json.null();
  }
  write_problems(json, status.problems);
  json.end_object();
  return json.text();
}

}  // namespace hmsync::daemon
