#include "daemon/status_json.h"

#include <gtest/gtest.h>

#include "daemon/json_writer.h"

namespace hmsync::daemon {
namespace {

TEST(JsonWriter, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(json_string("a\"b\\c\n\t\x01"), R"("a\"b\\c\n\t\u0001")");
  EXPECT_EQ(json_string("gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80"),
            "\"gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80\"");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(json_string("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(json_string("\xC3"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(json_string("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(json_string("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonWriter, PutsCommasBetweenMembersAndElements) {
  JsonWriter json;
  json.begin_object().member("a", 1).key("b").begin_array().value("x").value(true).null();
  json.end_array().key("c").begin_object().end_object().member("d", 0.5).end_object();
  EXPECT_EQ(json.text(), R"({"a":1,"b":["x",true,null],"c":{},"d":0.5})");
}

TEST(StatusJson, WritesMomentsInUtc) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(iso_time(1'796'025'600.25), "2026-11-30T08:00:00.250Z");
}

TEST(StatusJson, HasEveryFieldWhenNothingIsKnown) {
  Status status;
  status.server = "server1";
  status.instance = "host:1";
  status.version = "0.1.0";
  EXPECT_EQ(
      status_json(status),
      R"({"server":"server1","instance":"host:1","version":"0.1.0","role":"standby","epoch":0,)"
      R"("cursor":null,"head":null,"lag_events":null,"lag_seconds":null,"generation":0,)"
      R"("phase":"starting","snapshot":null,"quarantined":0,"suspended_grants":0,)"
      R"("totals":{"applied":0,"ignored":0,"quarantined":0,"late":0,"shared_id":0,"refuted":0},)"
      R"("metastore":{"uri":null,"uuid":null,"version":null},"leader":null,"paused":null,)"
      R"("last_error":null,"problems":[]})");
}

TEST(StatusJson, HasEveryFieldWhenAllIsKnown) {
  Status status;
  status.server = "server1";
  status.instance = "host:1";
  status.version = "0.1.0";
  status.leads = true;
  status.epoch = 4;
  status.leader = "host:1";
  status.leader_since = 1'796'025'600;
  status.generation = 2;
  status.cursor = 90;
  status.head = 100;
  status.lag_events = 10;
  status.lag_seconds = 1.5;
  status.phase = follower::Phase::snapshot;
  status.snapshot = follower::SnapshotProgress{"tables", 3, 9};
  status.quarantined = 1;
  status.suspended_grants = 2;
  status.totals = {80, 7, 1, 2, 3, 4};
  status.metastore_uri = "thrift://127.0.0.1:9083";
  status.metastore_uuid = "u-1";
  status.metastore_version = "3.1.3";
  status.last_error = LastError{1'796'025'601, "refused"};
  status.paused = follower::Pause{"alice", 1'796'025'602, 1'796'029'202, "upgrade"};
  status.problems = {{ProblemCode::store_unreachable, 1'796'025'603, 5, "refused"}};
  EXPECT_EQ(
      status_json(status),
      std::string(
          R"({"server":"server1","instance":"host:1","version":"0.1.0","role":"leader","epoch":4,)"
          R"("cursor":90,"head":100,"lag_events":10,"lag_seconds":1.5,"generation":2,)"
          R"("phase":"snapshot","snapshot":{"phase":"tables","done":3,"total":9},)"
          R"("quarantined":1,"suspended_grants":2,)"
          R"("totals":{"applied":80,"ignored":7,"quarantined":1,"late":2,"shared_id":3,)"
          R"("refuted":4},"metastore":{"uri":"thrift://127.0.0.1:9083","uuid":"u-1",)"
          R"("version":"3.1.3"},)"
          R"("leader":{"instance":"host:1","since":"2026-11-30T08:00:00.000Z"},)"
          R"("paused":{"by":"alice","since":"2026-11-30T08:00:02.000Z",)"
          R"("until":"2026-11-30T09:00:02.000Z","reason":"upgrade"},)"
          R"("last_error":{"time":"2026-11-30T08:00:01.000Z","message":"refused"},)"
          R"("problems":[{"code":"store_unreachable","since":"2026-11-30T08:00:03.000Z",)"
          R"("count":5,"message":"refused","action":")") +
          action_for(ProblemCode::store_unreachable) + R"("}]})");
}

}  // namespace
}  // namespace hmsync::daemon
