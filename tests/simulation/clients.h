// Who uses the deployment: clients of the metastore, people who grant and revoke, those who wait.
#pragma once

namespace hmsync::simulation {

class World;

/// Each of these is a fiber's work, which ends after so many of its deeds.
void make_changes(World& world, int count);
void grant_and_revoke(World& world, int count);
void wait_for_events(World& world, int count);
/// Resyncs, dry runs, pauses and retries.
void give_orders(World& world, int count);
/// Cleans the metastore's log, or restores the metastore, as the profile says.
void make_history_trouble(World& world);
/// From the metastore's listings, for some seconds each time.
void hide_databases(World& world, int count);
/// The store's database, each time to a replica that may lack the last commits.
void fail_over(World& world, int count);

}  // namespace hmsync::simulation
