// A metastore, a privilege store in PostgreSQL, and daemons between the two: what users run, in one
// object.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "hmsclient/ddl_client.h"
#include "tests/fixtures/mini_hms.h"
#include "tests/fixtures/mini_hmsync.h"
#include "tests/fixtures/mini_pg.h"

namespace hmsync::integration {

/// Where a daemon stands, as its `status --json` tells.
struct Status {
  std::string role;
  std::string phase;
  int64_t epoch = 0;
  int64_t cursor = -1;  ///< -1: none yet
  int64_t head = -1;
  double lag_seconds = 0;
  std::string instance;
  std::vector<std::string> problems;  ///< their codes
  std::string last_error;             ///< empty: none
  int64_t applied = 0;
  int64_t ignored = 0;
  int64_t quarantined = 0;
};

class Deployment {
 public:
  /// The metastore keeps its data in another database of the same PostgreSQL, named
  /// `metastore.database`, unless told otherwise.
  explicit Deployment(fixtures::MiniHms::Options metastore = {
                          .backend = fixtures::MiniHms::Backend::postgres});

  fixtures::MiniPg& pg() { return pg_; }
  fixtures::MiniHms& hms() { return hms_; }
  hmsclient::DdlClient& ddl() { return ddl_; }

  /// Options of a daemon between the two; change them and give them to MiniHmsync.
  [[nodiscard]] fixtures::MiniHmsync::Options daemon_options() const;
  /// One that has reached the store.
  [[nodiscard]] std::unique_ptr<fixtures::MiniHmsync> start_daemon() const;

  /// The privilege store's database.
  [[nodiscard]] std::string dsn() const { return pg_.dsn("privileges"); }
  /// One value by SQL from the privilege store.
  [[nodiscard]] std::string sql(const std::string& query) const;

 private:
  fixtures::MiniPg pg_;
  fixtures::MiniHms hms_;
  hmsclient::DdlClient ddl_;
};

Status status_of(const fixtures::MiniHmsync& daemon);
/// Whether `status` has the problem of this code now.
bool has_problem(const fixtures::MiniHmsync& daemon, const std::string& code);

/// `hmsyncctl wait` with a time-out; fails the test unless everything up to the metastore's head
/// became readable.
void wait_until_readable(const fixtures::MiniHmsync& daemon,
                         std::chrono::seconds timeout = std::chrono::seconds(60));

/// The lines of `hmsyncctl export`, of one kind or of several.
std::vector<std::string> exported(const fixtures::MiniHmsync& daemon,
                                  const std::vector<std::string>& kinds);

/// What `export` must say of the metastore's objects, those of all catalogs, made from an
/// independent read of it; sorted as text.
std::vector<std::string> metastore_lines(hmsclient::DdlClient& ddl);

/// Fails the test unless the exported objects are those of the metastore.
void expect_export_equals_metastore(const fixtures::MiniHmsync& daemon, hmsclient::DdlClient& ddl);

/// The tables that have a grant that authorises, "database.table".
std::set<std::string> granted_tables(const Deployment& deployment);

/// Fails the test unless `resync --dry-run` finds no difference.
void expect_no_difference(const fixtures::MiniHmsync& daemon);

}  // namespace hmsync::integration
