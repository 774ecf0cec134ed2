// Ports to the privilege store, as far as the loop needs it. Implemented on PostgreSQL in store/,
// and by a double in tests. All calls block and throw Error: transient (connection, serialisation,
// database restarting: try again), fenced (the fence's condition failed), fatal (schema, rights).
// After a transient error of a fenced call its effect is unknown: read state() again. An object is
// used by one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "follower/fence.h"
#include "follower/metastore.h"
#include "processor/mutation.h"

namespace hmsync::follower {

struct FollowerState {
  std::optional<int64_t> cursor;  ///< last applied event id; nothing before the first snapshot
  int64_t commit_number = 0;      ///< raised by every fenced commit
  int64_t generation = 0;         ///< raised by every reset: ids are comparable only within one
  Token token;
  std::string metastore_uuid;  ///< empty while not known
};

/// How many events had which outcome: each event is in one of the first three; the others tell
/// more of some of them.
struct EventCounts {
  int64_t applied = 0;
  int64_t ignored = 0;
  int64_t quarantined = 0;
  int64_t late = 0;
  int64_t shared_id = 0;
  int64_t refuted = 0;
};

/// An event set aside, whole.
struct QuarantinedEvent {
  processor::Event event;
  std::string reason;
};

/// What one transaction applies.
struct Batch {
  int64_t cursor = 0;  ///< where it leaves the cursor
  std::vector<processor::Mutation> mutations;
  EventCounts counts;
  /// Each also leaves a pending re-read of what its header names.
  std::vector<QuarantinedEvent> quarantined;
};

class EventStore {
 public:
  virtual ~EventStore() = default;

  virtual FollowerState state() = 0;
  /// Effects, cursor and change log in one transaction, under the fence, in a constant number of
  /// round trips; wakes the waiters of every replica. A rename whose source is not there makes its
  /// target, and leaves a pending re-read of it.
  virtual void apply(const Fence& fence, const Batch& batch) = 0;
  /// Removes rows of the logs that are past their retention, so many in one transaction under the
  /// fence; true if there are more.
  virtual bool trim(const Fence& fence) = 0;
  /// Not fenced, and in a row of its own: nothing waits behind a batch for it.
  virtual void record_head(int64_t head) = 0;
};

struct ObjectCounts {
  int64_t databases = 0;
  int64_t tables = 0;
  int64_t partitions = 0;
};

/// What a snapshot found to differ from the live state.
struct Difference {
  ObjectCounts added;
  ObjectCounts changed;
  ObjectCounts removed;
  int64_t suspended_grants = 0;
};

struct Publication {
  int64_t cursor = 0;  ///< the event that the staging reflects
  /// True: only events changed grants, and live and staging stand at the same event. False: events
  /// are missing, and grants go by identity.
  bool unbroken = false;
  bool raise_generation = false;  ///< after a reset; `as_of_event` of every grant becomes 0
  std::string metastore_uuid;
  std::string reason = {};  ///< for the audit: initial, gap, reset, re_read, resync
};

/// Snapshots are staged under their own id, unfenced; only publish() counts.
class SnapshotStore {
 public:
  virtual ~SnapshotStore() = default;

  /// A new snapshot's id. Removes what earlier snapshots of this server left in the staging.
  virtual std::string begin() = 0;
  /// One transaction by COPY. No object of the page may be in the staging already.
  virtual void add(const std::string& snapshot, const SnapshotPage& page) = 0;
  /// The same code as EventStore::apply, on the staging; never grants.
  virtual void replay(const std::string& snapshot,
                      const std::vector<processor::Mutation>& mutations) = 0;
  virtual Difference compare(const std::string& snapshot) = 0;
  /// Applies the difference to the live state, with the cursor, in one transaction under the fence.
  /// Rows that do not differ are not written; readers never wait.
  virtual Difference publish(const Fence& fence, const std::string& snapshot,
                             const Publication& publication) = 0;
  virtual void discard(const std::string& snapshot) = 0;
};

struct Pause {
  std::string by;
  int64_t since = 0;             ///< seconds since 1970
  std::optional<int64_t> until;  ///< seconds since 1970; nothing: until resumed
  std::string reason;
};

/// A full or scoped resync that somebody asked for.
struct ResyncRequest {
  int64_t id = 0;
  Scope scope;
  bool dry_run = false;
  bool force = false;
  std::string requested_by;
};

struct Orders {
  std::optional<Pause> pause;  ///< only while it is in force
  std::vector<ResyncRequest> resyncs;
  bool revokes_due = false;   ///< a revoke is to be repeated at the cursor or before it
  bool re_reads_due = false;  ///< an object is to be read again from the metastore
};

struct ResyncOutcome {
  std::string outcome;  ///< done, refused, failed
  std::string reason;   ///< empty when done
  int64_t event = 0;    ///< the cursor it reflects
  double seconds = 0;
  Difference difference;
};

/// What people and other replicas ask of the leader.
class OrderStore {
 public:
  virtual ~OrderStore() = default;

  /// One short query.
  virtual Orders pending() = 0;
  /// A request that is finished already stays as it is.
  virtual void finish(const Fence& fence, int64_t request, const ResyncOutcome& outcome) = 0;
  /// Repeats, under the fence, the revokes that waited for the cursor to come this far.
  virtual void repeat_revokes(const Fence& fence) = 0;
};

}  // namespace hmsync::follower
