// Ports to the metastore. Implemented over Thrift in hmsclient/, and by doubles in tests.
// All calls block, throw Error(transient) where another try may help, its kind AnotherMetastore
// included, and Error(fatal) where an operator must act (for example API authorisation). An object
// is used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "processor/error.h"
#include "processor/event.h"
#include "processor/object.h"

namespace hmsync::follower {

/// Whatever can be reached is not the metastore that is expected (proof.h): nothing was asked of
/// it.
class AnotherMetastore : public Error {
 public:
  explicit AnotherMetastore(const std::string& message) : Error(ErrorKind::transient, message) {}
};

struct EventRequest {
  int64_t after = 0;  ///< events with larger ids are asked for
  int32_t max_events = 1000;
  int64_t max_bytes = int64_t{32} << 20;  ///< message bytes; at least one event comes all the same
  /// What comes next will be asked for from the last event of the answer on.
  bool goes_on = false;
};

struct EventPage {
  std::vector<processor::Event> events;  ///< ascending ids
  bool cut = false;                      ///< ended by a limit: more events are there now
};

class NotificationLog {
 public:
  virtual ~NotificationLog() = default;

  /// The last id handed out; right even where the log itself was cleaned.
  virtual int64_t head() = 0;
  virtual EventPage events(const EventRequest& request) = 0;
  /// Identifies the database behind the metastore; nothing where it has no such call (2.3).
  virtual std::optional<std::string> uuid() = 0;
  /// Whether operations are logged before it is known that they succeed: a 3.1.3 with a plain
  /// listener logged refused creates and drops. False where the metastore does not say.
  virtual bool plain_listener() = 0;
};

/// What a snapshot reads: everything, one database with its tables, or one table with partitions.
struct Scope {
  std::optional<processor::DatabaseName> database;
  std::optional<std::string> table;  ///< only with database
  /// Only without database: the own rows of all databases, none of their tables.
  bool databases_only = false;

  auto operator<=>(const Scope&) const = default;
};

struct TablePartitions {
  processor::TableName table;
  std::vector<processor::Partition> partitions;
};

/// Whole objects; none of them where reading took long and has found nothing yet.
struct SnapshotPage {
  std::vector<processor::Database> databases;
  std::vector<processor::Table> tables;
  std::vector<TablePartitions> partitions;
};

struct SnapshotProgress {
  std::string phase;  ///< "databases", "tables", "partitions"
  int64_t done = 0;   ///< in objects of the phase
  int64_t total = 0;  ///< as far as known
};

/// One run over the metastore's objects. May read ahead with threads and connections of its own,
/// within bounded memory; destroying it stops them.
class SnapshotStream {
 public:
  virtual ~SnapshotStream() = default;

  /// The next page, a table always before its partitions; nothing at the end. An object that is
  /// gone when its page is read is left out. A page that fails is tried again before it throws.
  virtual std::optional<SnapshotPage> next() = 0;
  [[nodiscard]] virtual SnapshotProgress progress() const = 0;
};

class ObjectReader {
 public:
  virtual ~ObjectReader() = default;

  /// Several scopes are read as one; none is everything. A scope that does not exist has no page.
  virtual std::unique_ptr<SnapshotStream> snapshot(const std::vector<Scope>& scopes) = 0;
  /// Nothing where it does not exist.
  virtual std::optional<processor::Database> database(const processor::DatabaseName& name) = 0;
  virtual std::optional<processor::Table> table(const processor::TableName& name) = 0;
  /// By names alone, in all databases and catalogs.
  virtual int64_t count_tables() = 0;
};

}  // namespace hmsync::follower
