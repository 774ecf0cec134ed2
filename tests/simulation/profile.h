// What kind of deployment a seed runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "follower/follower.h"
#include "tests/follower/metastore_change.h"

namespace hmsync::simulation {

struct Profile {
  std::string name;
  doubles::Generation generation = doubles::Generation::v3_1;
  bool locks_sequence = true;  ///< false: ids are shared, and events come late
  bool tells_uuid = true;
  bool plain_listener = false;
  bool alters_without_event = false;
  bool head_flickers = false;  ///< it goes back for a moment, as a 2.3's under several writers
  bool spoils_events = false;
  bool cleans_log = false;
  bool restores_metastore = false;
  bool rewinds_store = false;    ///< fail-overs that lose the last commits
  bool loses_tables = false;     ///< that go without an event, as when somebody repairs a metastore
  bool hides_databases = false;  ///< from listings, now and then
  /// Between an event's id and its commit: only the next leader can see it.
  double changes_leader = 0;
  std::chrono::milliseconds page_time{3};  ///< a snapshot's page takes up to this
  int daemons = 2;
  int clients = 3;
  int rounds = 2;
  int changes_a_round = 100;
  int grants_a_round = 25;
  int orders_a_round = 18;
  double fault_share = 0.01;  ///< of port calls
  /// Calls that are seldom made meet as many faults as others; then a daemon is mostly behind.
  bool seeks_rare_calls = false;
  std::chrono::milliseconds lease_length{3000};
  follower::Options options;

  /// Whether the history that the daemons read is another one at times, or looks like it: where the
  /// log is cleaned up to ids that then still come.
  [[nodiscard]] bool resets() const {
    return restores_metastore || (cleans_log && !locks_sequence);
  }
  /// Whether events alone tell all, each in its place: then the store is right at every commit.
  [[nodiscard]] bool ordered() const { return locks_sequence && !plain_listener; }
  /// Whether every grant must authorise at the end, none be suspended.
  [[nodiscard]] bool keeps_grants() const {
    return !cleans_log && !restores_metastore && !rewinds_store && !alters_without_event;
  }
};

/// All kinds take turns.
Profile profile_of(uint64_t seed);

}  // namespace hmsync::simulation
