// Events that are longer than allowed, and a table with more partitions than memory should hold.
// The metastore is a scripted one within this process: what is measured is the daemon alone.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/fixtures/eventually.h"
#include "tests/fixtures/fake_hms.h"
#include "tests/fixtures/process_figures.h"
#include "tests/follower/event_messages.h"
#include "tests/integration/oddities.h"

namespace hmsync::integration {
namespace {

using fixtures::FakeHms;
using fixtures::MiniHmsync;
using fixtures::MiniPg;
using processor::Table;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

processor::Location at(const std::string& path) { return {"hdfs", "nn:8020", "/warehouse" + path}; }

Table table(const std::string& name, int64_t created) {
  Table table;
  table.name = {"hive", "sales", name};
  table.type = "MANAGED_TABLE";
  table.owner.name = "alice";
  table.location = at("/sales.db/" + name);
  table.identity = fmt::format("created:{}", created);
  table.columns = {"id"};
  table.partition_keys = {"k"};
  return table;
}

/// The scripted metastore with the database sales, an own log, a store and a daemon between.
class LargeAnswers {
 public:
  LargeAnswers(MiniPg& pg, const std::string& store, const std::vector<std::string>& settings)
      : pg_(pg), store_(store) {
    pg_.create_database(store_);
    hms.set_setting("hive.metastore.transactional.event.listeners",
                    "org.apache.hive.hcatalog.listener.DbNotificationListener");
    processor::Database sales;
    sales.name.database = "sales";
    sales.location = at("/sales.db");
    hms.put(sales);
    hms.forget_asked();
    options_.metastores = {hms.uri()};
    options_.dsn = pg_.dsn(store_);
    options_.poll_interval = "100ms";
    options_.settings = settings;
    log("CREATE_DATABASE", "", doubles::create_database_message(sales));
    tell();
  }

  void start() {
    daemon = std::make_unique<MiniHmsync>(options_);
    daemon->await_ready();
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon, std::chrono::seconds(300)));
  }

  /// Its id. Delivered from the next tell() on.
  int64_t log(const std::string& type, const std::string& name, const std::string& message) {
    processor::Event& event = events_.emplace_back();
    event.id = static_cast<int64_t>(events_.size());
    event.type = type;
    event.catalog = "hive";
    event.database = "sales";
    if (!name.empty()) event.table = name;
    event.message = message;
    event.message_format = "json-0.2";
    return event.id;
  }
  void tell() { hms.set_events(events_); }

  [[nodiscard]] std::string sql(const std::string& query) const {
    std::string answer = pg_.query(query, store_);
    while (answer.ends_with('\n')) answer.pop_back();
    return answer;
  }

  FakeHms hms;
  std::unique_ptr<MiniHmsync> daemon;

 private:
  MiniPg& pg_;
  std::string store_;
  fixtures::MiniHmsync::Options options_;
  std::vector<processor::Event> events_;
};

/// The same message, as far as JSON goes.
std::string two_mebibytes(const std::string& message) {
  return message + std::string((size_t{2} << 20) - message.size(), ' ');
}

TEST(EventsAboveTheLimit, AreSetAsideAndWhatTheirHeadersNameIsReadAgain) {
  MiniPg pg;
  LargeAnswers deployment(pg, "privileges",
                          {"metastore.max_message=1MiB", "metastore.sweep_interval=1h",
                           "metastore.sweep_tables_per_second=0", "metastore.settle=1s"});
  FakeHms& hms = deployment.hms;
  const Table renamed = table("renamed", 1001);
  const Table dropped = table("dropped", 1002);
  const Table grown = table("grown", 1003);
  for (const Table& each : {renamed, dropped, grown}) {
    hms.put(each);
    deployment.log("CREATE_TABLE", each.name.table, doubles::create_table_message(each));
  }
  deployment.tell();
  ASSERT_NO_FATAL_FAILURE(deployment.start());
  const MiniHmsync& daemon = *deployment.daemon;
  done(daemon, {"role", "create", "analyst"});
  for (const char* object : {"sales.renamed", "sales.dropped"}) {
    done(daemon, {"grant", "analyst", "SELECT", object});
  }

  const Table created = table("created", 1004);
  const Table small = table("small", 1005);
  const Table last = table("last", 1006);
  Table after = renamed;
  after.name.table = "after";
  after.location = at("/sales.db/after");
  const processor::Partition partition{{"v"}, at("/elsewhere/v")};
  std::vector<std::pair<int64_t, std::string>> large;
  const auto log_large = [&](const char* type, const std::string& name, const std::string& text) {
    large.emplace_back(deployment.log(type, name, two_mebibytes(text)), type);
  };
  log_large("CREATE_TABLE", "created", doubles::create_table_message(created));
  deployment.log("CREATE_TABLE", "small", doubles::create_table_message(small));
  log_large("ALTER_TABLE", "after", doubles::alter_table_message(renamed, after));
  log_large("DROP_TABLE", "dropped", doubles::drop_table_message(dropped));
  log_large("ADD_PARTITION", "grown", doubles::add_partitions_message(grown, {partition}));
  deployment.log("CREATE_TABLE", "last", doubles::create_table_message(last));
  for (const Table& each : {created, small, last, after}) hms.put(each);
  hms.drop(renamed.name);
  hms.drop(dropped.name);
  hms.put(grown.name, partition);
  deployment.tell();

  ASSERT_NO_FATAL_FAILURE(wait_until_readable(daemon));
  EXPECT_EQ(deployment.sql("SELECT \"table\", location FROM hmsync.v1_tables ORDER BY 1"),
            "after|hdfs://nn:8020/warehouse/sales.db/after\n"
            "created|hdfs://nn:8020/warehouse/sales.db/created\n"
            "grown|hdfs://nn:8020/warehouse/sales.db/grown\n"
            "last|hdfs://nn:8020/warehouse/sales.db/last\n"
            "small|hdfs://nn:8020/warehouse/sales.db/small");
  EXPECT_EQ(deployment.sql("SELECT \"table\", location FROM hmsync.v1_partitions"),
            "grown|hdfs://nn:8020/warehouse/elsewhere/v");
  EXPECT_EQ(deployment.sql("SELECT \"table\" FROM hmsync.v1_grants"), "after");
  EXPECT_EQ(deployment.sql("SELECT count(*) FROM hmsync.v1_suspended_grants"), "0");
  expect_no_difference(daemon);

  const std::vector<std::string> kept = lines_of(daemon, {"quarantine", "list"});
  ASSERT_EQ(kept.size(), large.size());
  for (size_t i = 0; i < large.size(); ++i) {
    const auto& [event, type] = large[i];
    SCOPED_TRACE(fmt::format("event {} ({})", event, type));
    EXPECT_THAT(kept[i],
                AllOf(HasSubstr(fmt::format(R"("event":{},"type":"{}")", event, type)),
                      HasSubstr("metastore.max_message"), HasSubstr(R"("state":"quarantined")")));
    EXPECT_TRUE(log_tells(daemon, "poison", event));
    EXPECT_EQ(deployment.sql(fmt::format("SELECT count(*) FROM hmsync.v1_audit WHERE"
                                         " action = 'quarantine' AND event = {}",
                                         event)),
              "1");
    EXPECT_THAT(done(daemon, {"quarantine", "show", std::to_string(event), "--json"}),
                HasSubstr(R"("message_bytes":2097152)"));
    EXPECT_EQ(daemon.metric("hmsync_events_quarantined_total", fmt::format(R"("{}")", type)), 1);
  }
  EXPECT_TRUE(has_problem(daemon, "quarantine"));
}

constexpr int64_t kNameBytes = 200;

/// "k=" and this are a name.
std::string value(int64_t index) { return fmt::format("{:0{}}", index, kNameBytes - 2); }

/// The most kilobytes of a daemon that takes a snapshot of a table, follows events that add
/// partitions to it, and takes another snapshot, which finds nothing new.
int64_t peak_with(MiniPg& pg, int64_t partitions) {
  constexpr int64_t kEvents = 10;
  constexpr int64_t kPerEvent = 100;
  LargeAnswers deployment(pg, fmt::format("with_{}", partitions),
                          {"metastore.sweep_interval=1h", "metastore.sweep_tables_per_second=0",
                           "metastore.settle=1s"});
  const Table large = table("large", 1001);
  deployment.hms.put(large);
  const int64_t before = partitions - kEvents * kPerEvent;
  deployment.hms.generate(large.name, before, value);
  deployment.log("CREATE_TABLE", "large", doubles::create_table_message(large));
  deployment.tell();
  deployment.start();
  const std::string count = "SELECT count(*) FROM hmsync.v1_partitions";
  EXPECT_EQ(deployment.sql(count), std::to_string(before));

  for (int64_t next = before; next < partitions;) {
    std::vector<processor::Partition> added;
    for (int64_t i = 0; i < kPerEvent; ++i, ++next) {
      added.push_back({{value(next)}, at("/sales.db/large/k=" + value(next))});
    }
    deployment.log("ADD_PARTITION", "large", doubles::add_partitions_message(large, added));
  }
  deployment.hms.generate(large.name, partitions, value);
  deployment.tell();
  wait_until_readable(*deployment.daemon, std::chrono::seconds(120));
  EXPECT_EQ(deployment.sql(count), std::to_string(partitions));
  EXPECT_THAT(
      deployment.sql("SELECT max(length(location)) FROM hmsync.v1_partitions"),
      std::to_string(kNameBytes + std::string("hdfs://nn:8020/warehouse/sales.db/large/").size()));

  const auto again = deployment.daemon->ctl({"resync", "--dry-run", "--exit-code", "--json"},
                                            std::chrono::minutes(5));
  EXPECT_EQ(again.exit, 0) << again.out << again.err;
  return fixtures::peak_kilobytes(deployment.daemon->pid());
}

TEST(ATableWithManyPartitions, IsSnapshottedAndFollowedInMemoryThatDoesNotDependOnTheirNumber) {
  MiniPg pg;
  const int64_t few = peak_with(pg, 3000);
  const int64_t many = peak_with(pg, 300000);
  std::cout << "the daemon's peak: " << few / 1024 << " MiB with 3,000 partitions, " << many / 1024
            << " MiB with 300,000 (names of " << kNameBytes << " bytes, 57 MiB of them)\n";
  // Buffers that a small table does not fill; the names alone would be more, not to speak of rows.
  EXPECT_LT(many - few, 40 * 1024);
}

}  // namespace
}  // namespace hmsync::integration
