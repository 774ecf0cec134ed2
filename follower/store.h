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
#include "processor/claim.h"
#include "processor/digest.h"
#include "processor/mutation.h"

namespace hmsync::follower {

struct FollowerState {
  std::optional<int64_t> cursor;  ///< last applied event id; nothing before the first snapshot
  int64_t commit_number = 0;      ///< raised by every fenced commit
  int64_t generation = 0;         ///< raised by every reset: ids are comparable only within one
  Token token;
  std::string metastore_uuid;  ///< empty while not known
  /// Of the last events up to the cursor, ascending by id.
  std::vector<processor::EventDigest> digests;
  bool shared_ids_seen = false;  ///< this metastore was seen to give several events one id
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

/// A row of the audit about what came from the metastore.
struct Note {
  std::string action;  ///< gap, reset, late, shared_id, drift, refused, ...
  int64_t event = 0;
  std::string text;
};

/// What one transaction applies.
struct Batch {
  int64_t cursor = 0;  ///< where it leaves the cursor
  std::vector<processor::Mutation> mutations;
  /// Each leaves a pending re-read of what it names, and stays until that is read.
  std::vector<processor::Claim> claims;
  EventCounts counts;
  std::vector<QuarantinedEvent> quarantined;
  std::vector<Note> notes;
  std::vector<processor::EventDigest> digests;  ///< all that are remembered from now on
};

class EventStore {
 public:
  virtual ~EventStore() = default;

  virtual FollowerState state() = 0;
  /// Effects, cursor and change log in one transaction, under the fence, in a constant number of
  /// round trips; wakes the waiters of every replica. A rename whose source is not there makes its
  /// target, and leaves a pending re-read of it.
  virtual void apply(const Fence& fence, const Batch& batch) = 0;
  /// Writes them to the audit, under the fence.
  virtual void note(const Fence& fence, const std::vector<Note>& notes) = 0;
  /// Removes rows of the logs that are past their retention, so many in one transaction under the
  /// fence; true if there are more.
  virtual bool trim(const Fence& fence) = 0;
  /// Whoever asked for so many looks at the whole remembered log (Orders::polls_asked) has them:
  /// all that they showed is readable. Not fenced; wakes the waiters of every replica.
  virtual void answer_polls(int64_t asked) = 0;
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

/// A metastore that suddenly has much less is most likely the wrong one, or a broken answer.
struct Guard {
  double most_lost = 0.2;   ///< share of the stored tables that may be gone or of another identity
  int64_t lost_before = 0;  ///< tables that earlier publications took away and that count, too
};

struct Publication {
  int64_t cursor = 0;  ///< the event that the staging reflects
  /// True: only events changed grants, and live and staging stand at the same event. False: events
  /// are missing, and grants go by identity.
  bool unbroken = false;
  bool raise_generation = false;  ///< after a reset; `as_of_event` of every grant becomes 0
  std::string metastore_uuid;
  std::string reason = {};  ///< for the audit: initial, gap, reset, re_read, sweep, resync
  std::vector<processor::EventDigest> digests =
      {};                                     ///< of a broken history: remembered from now on
  std::optional<Guard> guard = std::nullopt;  ///< nothing: whatever is gone is gone
};

/// What became of a publication.
struct Published {
  enum class Outcome {
    published,
    refused,     ///< by the guard; nothing was changed
    incomplete,  ///< `missing` must be read, too; nothing was changed
  };
  Outcome outcome = Outcome::published;
  Difference difference;
  int64_t stored_tables = 0;  ///< before it
  int64_t lost_tables = 0;    ///< of these: gone, or of another identity
  std::string reason;         ///< when refused
  /// Tables of which one may be what a staged one was renamed from (Claim::from could not be read).
  std::vector<Scope> missing;
  /// Claims of ordered events that what was read shows to be untrue; counted and in the audit.
  std::vector<processor::Claim> refuted;
};

/// Snapshots, whole or of some objects, are staged under their own id, unfenced; only publish()
/// counts. Several may be in the making.
class SnapshotStore {
 public:
  virtual ~SnapshotStore() = default;

  /// A new snapshot's id. Nothing as scopes: of everything. What it will have read are also the
  /// pending re-reads of its scopes that are there now, not those that come later.
  virtual std::string begin(const std::vector<Scope>& scopes) = 0;
  /// One transaction by COPY. No object of the page may be in the staging already. `more` widens
  /// the scopes.
  virtual void add(const std::string& snapshot, const SnapshotPage& page,
                   const std::vector<Scope>& more = {}) = 0;
  /// The same code as EventStore::apply, on the staging; never grants. The claims, and re-reads of
  /// what they name, become those of the live state at the switch.
  virtual void replay(const std::string& snapshot,
                      const std::vector<processor::Mutation>& mutations,
                      const std::vector<processor::Claim>& claims = {}) = 0;
  virtual Difference compare(const std::string& snapshot) = 0;
  /// Applies the difference between staging and live state, within the scopes, in one transaction
  /// with the cursor, under the fence. Rows that do not differ are not written; readers never wait.
  /// Takes away the pending re-reads and claims that it has read; a whole snapshot that is in the
  /// making meanwhile gets the re-reads, since it may have read those objects before.
  virtual Published publish(const Fence& fence, const std::string& snapshot,
                            const Publication& publication) = 0;
  /// Nothing: all of this server's, whoever began them.
  virtual void discard(const std::optional<std::string>& snapshot) = 0;
};

/// A stored table that shows whether a metastore is the one that is followed.
struct KnownTable {
  processor::TableName name;
  std::string identity;
};

/// What the loop asks of the live state.
class StoredObjects {
 public:
  virtual ~StoredObjects() = default;

  virtual int64_t count_tables() = 0;
  /// The next so many in the order of their names; fewer at the end.
  virtual std::vector<processor::TableName> tables_after(const processor::TableName& name,
                                                         int count) = 0;
  /// Some, with their identities; tables without one are left out.
  virtual std::vector<KnownTable> some_tables(int count) = 0;
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

/// A quarantined event that somebody wants to be tried again.
struct RetryRequest {
  int64_t id = 0;
  int64_t event = 0;
  std::string requested_by;
};

/// What the retry of one quarantined event came to.
struct Retried {
  std::vector<processor::Claim> claims;  ///< what is read again
  std::string failure;                   ///< why it still cannot be read; empty: it can
};

struct Orders {
  std::optional<Pause> pause;  ///< only while it is in force
  std::vector<ResyncRequest> resyncs;
  std::vector<RetryRequest> retries;
  bool revokes_due = false;  ///< a revoke is to be repeated at the cursor or before it
  /// No event above this one is applied before a revoke is repeated at it; EventStore::apply()
  /// throws Error (transient) where that would happen.
  std::optional<int64_t> revoke_ahead;
  /// Objects to be read again from the metastore, those that wait longest; not more than 500. A
  /// scope without a database is everything.
  std::vector<Scope> re_reads;
  int64_t polls_asked = 0;  ///< waiters on all replicas have asked for so many whole polls
  int64_t polls_answered = 0;
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
  /// The quarantined events of this id, of the current generation.
  virtual std::vector<processor::Event> quarantined(int64_t event) = 0;
  /// Ends the request, under the fence: one outcome for each of quarantined(), in its order.
  virtual void retried(const Fence& fence, const RetryRequest& request,
                       const std::vector<Retried>& outcomes) = 0;
};

}  // namespace hmsync::follower
