// A metastore and two daemons at a store in a PostgreSQL of its own, in front of which there are
// gates, and a log of who wrote the follower's row.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/fixtures/gate.h"
#include "tests/fixtures/mini_hmsync.h"
#include "tests/fixtures/mini_pg.h"
#include "tests/fixtures/private_folder.h"
#include "tests/integration/ddl_workload.h"
#include "tests/integration/deployment.h"

namespace hmsync::integration {

/// Not thread-safe.
class StoreUnderFaults {
 public:
  /// The metastore's own database is in the deployment's PostgreSQL and stays as it is.
  explicit StoreUnderFaults(Deployment& metastore);

  fixtures::MiniPg& pg() { return *pg_; }
  /// In front of the first and of the second daemon.
  fixtures::Gate& gate(size_t daemon) { return *gates_.at(daemon); }
  fixtures::MiniHmsync& daemon(size_t index) { return *daemons_.at(index); }

  /// Through its gate, unless the options have a dsn of their own. Returns once it runs.
  fixtures::MiniHmsync& start_daemon(fixtures::MiniHmsync::Options options);
  [[nodiscard]] fixtures::MiniHmsync::Options daemon_options() const;
  /// The first daemon leads, the second stands by; from now on each write of the follower's row is
  /// logged.
  void start_both(const fixtures::MiniHmsync::Options& first,
                  const fixtures::MiniHmsync::Options& second);
  void log_writers();

  /// Clients change the metastore, and grant at any daemon that takes it.
  void start_workload();
  /// After it: each daemon's export equals the metastore, and the grants are those that the clients
  /// know of.
  void expect_right_at_the_end();

  /// The one that leads now; fails the test where none does in time.
  size_t leader();
  bool leads(size_t daemon) const;
  /// True once this one leads and has applied something.
  bool takes_over(size_t daemon);
  /// Changes the metastore; true once this daemon tells of it. The clients' changes are not counted
  /// on: each of them may be waiting for a daemon that is cut off to answer a grant.
  bool follows(size_t daemon);

  [[nodiscard]] std::string sql(const std::string& query) const { return sql_at(*pg_, query); }
  static std::string sql_at(const fixtures::MiniPg& pg, const std::string& query);
  /// From now on SQL asks that one: after a fail-over.
  void use(std::unique_ptr<fixtures::MiniPg> promoted);

  /// Fails the test unless commit numbers rise one by one, and each epoch's are together.
  void expect_one_writer_at_any_time() const;

 private:
  void grant(const std::string& table);

  Deployment& metastore_;
  const fixtures::PrivateFolder folder_{"faults"};
  std::vector<std::unique_ptr<fixtures::MiniPg>> lost_;
  std::unique_ptr<fixtures::MiniPg> pg_ = std::make_unique<fixtures::MiniPg>();
  std::vector<std::unique_ptr<fixtures::Gate>> gates_;
  std::vector<std::unique_ptr<fixtures::MiniHmsync>> daemons_;
  std::unique_ptr<DdlWorkload> workload_;
};

}  // namespace hmsync::integration
