#include "tests/simulation/profile.h"

#include <array>
#include <random>

namespace hmsync::simulation {
namespace {

using doubles::Generation;
using std::chrono::milliseconds;

struct Kind {
  const char* name;
  void (*make)(Profile&);
};

void share_ids(Profile& profile) {
  profile.locks_sequence = false;
  profile.clients = 3 + profile.clients % 2;  // one alone shares none
  // A sweep would hide that an event was missed.
  if (profile.daemons == 2) profile.options.sweep_tables_per_second = 0;
}

void share_ids_as_2_3(Profile& profile) {
  share_ids(profile);
  profile.generation = Generation::v2_3;
  profile.tells_uuid = false;
  profile.head_flickers = true;
}

/// With few changes and nobody else, so that a late event that is missed stays so.
void change_leaders(Profile& profile) {
  share_ids(profile);
  profile.options.sweep_tables_per_second = 0;
  profile.changes_leader = 0.3;
  profile.rounds = 6;
  profile.changes_a_round = 20;
  profile.grants_a_round = 2;
  profile.orders_a_round = 0;
}

constexpr std::array kKinds{
    Kind{"ordered 3.1", [](Profile&) {}},
    Kind{"ordered 4.0", [](Profile& p) { p.generation = Generation::v4_0; }},
    Kind{"shared ids 2.3", share_ids_as_2_3},
    Kind{"shared ids 3.1", share_ids},
    Kind{"changed leaders 3.1", change_leaders},
    Kind{"plain listener 3.1", [](Profile& p) { p.plain_listener = true; }},
    Kind{"spoilt events 3.1",
         [](Profile& p) {
           p.spoils_events = true;
           double& rate = p.options.sweep_tables_per_second;
           if (rate == 0) rate = 5;  // what unreadable renames leave
         }},
    Kind{"spoilt events 2.3",
         [](Profile& p) {
           share_ids_as_2_3(p);
           p.spoils_events = true;
           p.options.sweep_tables_per_second = 5;  // what unreadable renames leave
         }},
    Kind{"changes without events 4.0",
         [](Profile& p) {
           p.generation = Generation::v4_0;
           p.alters_without_event = true;
         }},
    Kind{"tables lost without events 3.1",
         [](Profile& p) {
           p.loses_tables = true;
           p.options.sweep_tables_per_second = 5;
           p.options.max_removed = 1;
         }},
    Kind{"hidden databases 3.1",
         [](Profile& p) {
           p.hides_databases = true;
           p.options.max_removed = 0.01;
         }},
    Kind{"cleaned log 3.1",
         [](Profile& p) {
           p.cleans_log = true;
           p.head_flickers = true;
           p.tells_uuid = true;  // else it may look like another one
           p.options.max_removed = 0.05;
         }},
    Kind{"cleaned log 2.3",
         [](Profile& p) {
           share_ids_as_2_3(p);
           p.cleans_log = true;
           p.options.max_removed = 0.05;
         }},
    Kind{"restored metastore 3.1",
         [](Profile& p) {
           p.restores_metastore = true;
           p.options.max_removed = 0.05;
         }},
    Kind{"restored metastore 4.0",
         [](Profile& p) {
           p.generation = Generation::v4_0;
           p.restores_metastore = true;
           p.options.max_removed = 0.05;
         }},
    Kind{"rewound store 3.1", [](Profile& p) { p.rewinds_store = true; }},
};

}  // namespace

Profile profile_of(uint64_t seed) {
  Profile profile;
  const Kind& kind = kKinds[seed % kKinds.size()];
  profile.name = kind.name;
  std::mt19937_64 random(seed * 7919 + 1);
  profile.daemons = 2 + static_cast<int>(random() % 2);
  profile.clients = 1 + static_cast<int>(random() % 4);
  profile.lease_length = milliseconds(2000 + random() % 3000);
  profile.fault_share = 0.002 * static_cast<double>(1 + random() % 10);
  if (random() % 2 == 0) profile.page_time = milliseconds(20 + random() % 180);
  auto& options = profile.options;
  options.batch_events = static_cast<int32_t>(3 + random() % 30);
  options.gap_grace = milliseconds(1000 + random() % 2000);
  options.settle = milliseconds(2000 + random() % 3000);
  options.overlap_events = static_cast<int64_t>(20 + random() % 80);
  options.sweep_interval = milliseconds(3000 + random() % 5000);
  options.sweep_tables_per_second = static_cast<double>(random() % 6);
  options.verify_interval = milliseconds(random() % 3 == 0 ? 30000 : 0);
  options.first_backoff = milliseconds(50);
  options.longest_backoff = milliseconds(1000);
  options.trim_interval = std::chrono::minutes(random() % 3 == 0 ? 1 : 0);
  options.jitter_seed = random();
  // A newer one's call may be refused on its way.
  profile.tells_uuid = random() % 2 == 0;
  profile.seeks_rare_calls = random() % 2 == 0;
  kind.make(profile);
  if (profile.alters_without_event) options.sweep_tables_per_second = 5;
  return profile;
}

}  // namespace hmsync::simulation
