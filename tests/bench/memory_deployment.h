// A metastore that answers from this process's memory, and daemons that follow it into databases of
// a real PostgreSQL: what is measured is the daemon and the database alone.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/fixtures/fake_hms.h"
#include "tests/fixtures/mini_hmsync.h"
#include "tests/fixtures/mini_pg.h"

namespace hmsync::bench {

class EventLog;

class MemoryDeployment {
 public:
  explicit MemoryDeployment(fixtures::FakeHms::Version version = fixtures::FakeHms::Version::v3_1);

  fixtures::FakeHms& hms() { return hms_; }
  fixtures::MiniPg& pg() { return pg_; }

  /// A daemon on a database, which is made where it is missing. It runs once this returns.
  std::unique_ptr<fixtures::MiniHmsync> start_daemon(const std::string& database,
                                                     std::vector<std::string> settings = {});
  /// A copy of a database that nobody is connected to.
  void copy_database(const std::string& from, const std::string& to);
  void drop_database(const std::string& name);
  /// One value by SQL.
  [[nodiscard]] std::string sql(const std::string& database, const std::string& query) const;

 private:
  fixtures::FakeHms hms_;
  fixtures::MiniPg pg_;
};

/// The log of a metastore in which one table was made, sales.first; the deployment has both.
EventLog log_of_one_table(MemoryDeployment& deployment);
/// A database in which a daemon stood, and is paused, behind the events of `log`, with so many
/// tables of which the log tells nothing: other.table_1 and so on.
void make_origin(MemoryDeployment& deployment, const EventLog& log, const std::string& name,
                 int64_t objects);

/// hdfs://nn:8020/warehouse and this.
processor::Location at(const std::string& path);
/// An unpartitioned table of database `sales`, with twenty columns, unless told otherwise.
processor::Table table_named(const std::string& name, int64_t created);
/// A value of a partition key; the greater the number, the later in order.
std::string day(int64_t number);
/// The database of those tables.
processor::Database sales();

/// Runs a verb that must succeed.
void run_verb(const fixtures::MiniHmsync& daemon, const std::vector<std::string>& verb);
/// Blocks until events up to this one are readable. Throws after twenty minutes.
void await_event(const fixtures::MiniHmsync& daemon, int64_t event);
/// Lets a paused daemon go on until this event is readable.
double seconds_to_catch_up(const fixtures::MiniHmsync& daemon, int64_t event);
double seconds_since(std::chrono::steady_clock::time_point begun);

}  // namespace hmsync::bench
