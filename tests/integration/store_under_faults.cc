#include "tests/integration/store_under_faults.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>

#include "tests/fixtures/eventually.h"

namespace hmsync::integration {

namespace {

using fixtures::eventually;
using fixtures::Gate;
using fixtures::MiniHmsync;
using std::chrono::seconds;

constexpr const char* kLogWriters = R"(
CREATE TABLE public.writes (
  write_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  epoch bigint, nonce text, commit_number bigint);
CREATE FUNCTION public.log_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.writes (epoch, nonce, commit_number)
  VALUES (NEW.token_epoch, NEW.token_nonce, NEW.commit_number);
  RETURN NULL;
END $$;
CREATE TRIGGER log_write AFTER UPDATE ON hmsync.followers
  FOR EACH ROW EXECUTE FUNCTION public.log_write())";

std::string dsn_of(int port) {
  return fmt::format("host=127.0.0.1 port={} user=hmsync dbname=privileges", port);
}

}  // namespace

StoreUnderFaults::StoreUnderFaults(Deployment& metastore) : metastore_(metastore) {
  pg_->create_database("privileges");
  for (int i = 0; i < 2; ++i) gates_.push_back(std::make_unique<Gate>(pg_->port()));
}

MiniHmsync::Options StoreUnderFaults::daemon_options() const {
  MiniHmsync::Options options = metastore_.daemon_options();
  options.dsn.clear();
  return options;
}

MiniHmsync& StoreUnderFaults::start_daemon(MiniHmsync::Options options) {
  if (options.dsn.empty()) options.dsn = dsn_of(gates_.at(daemons_.size())->port());
  daemons_.push_back(std::make_unique<MiniHmsync>(options));
  return *daemons_.back();
}

void StoreUnderFaults::log_writers() { static_cast<void>(sql(kLogWriters)); }

void StoreUnderFaults::start_both(const MiniHmsync::Options& first,
                                  const MiniHmsync::Options& second) {
  start_daemon(first).await_ready();
  ASSERT_TRUE(eventually(seconds(60), [&] {
    return leads(0) && status_of(daemon(0)).phase == "following";
  })) << daemon(0).log();
  log_writers();
  start_daemon(second).await_ready();
}

void StoreUnderFaults::start_workload() {
  ASSERT_EQ(daemon(leader()).ctl({"role", "create", "reader"}).exit, 0);
  workload_ = std::make_unique<DdlWorkload>(metastore_.hms().uri(), folder_.path(), 2,
                                            std::random_device{}());
  workload_->give_grants([this](const std::string& table) { grant(table); });
  workload_->start();
}

/// Again and again, as a person would who got no answer.
void StoreUnderFaults::grant(const std::string& table) {
  std::string reason;
  const bool granted = eventually(seconds(60), [&] {
    return std::any_of(daemons_.begin(), daemons_.end(), [&](const auto& daemon) {
      const auto result = daemon->ctl({"grant", "reader", "SELECT", table});
      reason = result.err;
      return result.exit == 0;
    });
  });
  if (!granted) throw std::runtime_error("grant on " + table + ": " + reason);
}

void StoreUnderFaults::expect_right_at_the_end() {
  EXPECT_TRUE(eventually(seconds(60), [&] { return workload_->grants() >= 3; }));
  workload_->stop();
  EXPECT_TRUE(workload_->failures().empty()) << testing::PrintToString(workload_->failures());
  for (const auto& daemon : daemons_) {
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon));
    expect_export_equals_metastore(*daemon, metastore_.ddl());
  }
  std::istringstream answer(
      sql("SELECT DISTINCT \"database\" || '.' || \"table\" FROM hmsync.v1_grants"));
  std::set<std::string> granted;
  for (std::string line; std::getline(answer, line);) granted.insert(line);
  EXPECT_EQ(granted, workload_->granted());
  expect_no_difference(daemon(leader()));
  expect_one_writer_at_any_time();
}

bool StoreUnderFaults::leads(size_t index) const {
  return daemons_.at(index)->get("/leader").status == 200;
}

size_t StoreUnderFaults::leader() {
  size_t found = 0;
  EXPECT_TRUE(eventually(seconds(60), [&] {
    for (found = 0; found < daemons_.size(); ++found) {
      if (leads(found)) return true;
    }
    return false;
  }));
  return found % daemons_.size();
}

bool StoreUnderFaults::takes_over(size_t index) {
  return eventually(seconds(40), [&] { return leads(index); }) && follows(index);
}

bool StoreUnderFaults::follows(size_t index) {
  const int64_t cursor = status_of(daemon(index)).cursor;
  metastore_.ddl().create_database({"followed"});
  metastore_.ddl().drop_database("followed", false);
  return eventually(seconds(40), [&] { return status_of(daemon(index)).cursor > cursor; });
}

std::string StoreUnderFaults::sql_at(const fixtures::MiniPg& pg, const std::string& query) {
  std::string answer = pg.query(query, "privileges");
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return answer;
}

void StoreUnderFaults::use(std::unique_ptr<fixtures::MiniPg> promoted) {
  lost_.push_back(std::move(pg_));
  pg_ = std::move(promoted);
}

void StoreUnderFaults::expect_one_writer_at_any_time() const {
  std::istringstream answer(
      sql("SELECT epoch || ' ' || nonce || ' ' || commit_number FROM public.writes "
          "ORDER BY write_id"));
  struct Write {
    int64_t epoch = -1;
    std::string nonce = {};
    int64_t commit_number = -1;
  };
  Write last;
  int64_t writes = 0;
  for (std::string line; std::getline(answer, line); ++writes) {
    Write write;
    std::istringstream(line) >> write.epoch >> write.nonce >> write.commit_number;
    if (writes > 0) {
      const bool same = write.epoch == last.epoch && write.nonce == last.nonce;
      EXPECT_TRUE(same || write.epoch > last.epoch) << "an older writer after another: " << line;
      // The token alone, or a second statement of one transaction, leaves the number.
      EXPECT_TRUE(write.commit_number == last.commit_number ||
                  (same && write.commit_number == last.commit_number + 1))
          << "after " << last.commit_number << ": " << line;
    }
    last = write;
  }
  EXPECT_GT(writes, 0);
}

}  // namespace hmsync::integration
