// Messages that were spoilt in a real metastore's log: the store is right all the same, each event
// is kept in quarantine, and people can look at it, try it again and skip it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "store/connection.h"
#include "tests/fixtures/eventually.h"
#include "tests/integration/oddities.h"

namespace hmsync::integration {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SpoiltMessages : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    deployment_ = std::make_unique<Deployment>();
    auto options = deployment_->daemon_options();
    // What is right is so by what events name, not by a sweep.
    options.settings = {"metastore.gap_grace=1s", "metastore.settle=1s",
                        "metastore.sweep_interval=1h", "metastore.sweep_tables_per_second=0",
                        "metastore.batch_events=16"};
    daemon_ = std::make_unique<fixtures::MiniHmsync>(options);
    daemon_->await_ready();
    ddl().create_database({"sales"});
    done(*daemon_, {"role", "create", "analyst"});
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
  }
  static void TearDownTestSuite() {
    daemon_.reset();
    deployment_.reset();
  }

  void SetUp() override { begun_ = status_of(*daemon_); }

  static hmsclient::DdlClient& ddl() { return deployment_->ddl(); }

  static void create(const std::string& table, const std::string& database = "sales") {
    ddl().create_table({.database = database, .table = table});
  }

  /// Creation times, by which tables are told apart before 4.0, count whole seconds.
  static void await_next_second() {
    const time_t begun = time(nullptr);
    ASSERT_TRUE(
        fixtures::eventually(std::chrono::seconds(5), [&] { return time(nullptr) > begun; }));
  }

  static void create_partitioned(const std::string& table) {
    hmsclient::TableSpec spec{.database = "sales", .table = table};
    spec.partition_keys = {{"dt", "string"}};
    ddl().create_table(spec);
  }

  static int64_t event(const std::string& type, const std::string& table,
                       const std::string& database = "sales") {
    return newest_event(*deployment_, type, database, table);
  }

  /// `set` as in UPDATE.
  static void spoil(int64_t event, const std::string& set = R"("MESSAGE" = 'spoilt')") {
    const std::string changed = deployment_->pg().query(
        fmt::format(R"(WITH changed AS (UPDATE "NOTIFICATION_LOG" SET {} WHERE "EVENT_ID" = {})"
                    R"( RETURNING 1) SELECT count(*) FROM changed)",
                    set, event),
        "hms");
    ASSERT_EQ(changed, "1\n") << "event " << event;
  }

  static std::string in_quarantine(int64_t event) {
    for (const std::string& line : lines_of(*daemon_, {"quarantine", "list"})) {
      if (line.starts_with(fmt::format(R"({{"event":{},)", event))) return line;
    }
    return "";
  }

  static std::string state_of(int64_t event) {
    return deployment_->sql(fmt::format(
        "SELECT state || ' ' || attempts FROM hmsync.quarantine WHERE event_id = {}", event));
  }

  /// Set aside, and told as a metric, a line and a row of the audit.
  static void expect_set_aside(int64_t event, const std::string& type, const std::string& table) {
    SCOPED_TRACE(fmt::format("event {} ({} of {})", event, type, table));
    EXPECT_THAT(
        in_quarantine(event),
        AllOf(HasSubstr(R"("type":")" + type + '"'), HasSubstr(R"("database":"sales")"),
              HasSubstr(R"("table":")" + table + '"'), HasSubstr(R"("state":"quarantined")")));
    EXPECT_TRUE(log_tells(*daemon_, "poison", event));
    EXPECT_EQ(audited(*deployment_, "quarantine", event), 1);
  }

  /// By the same daemon, which did not begin anew.
  void expect_right() {
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    expect_export_equals_metastore(*daemon_, ddl());
    expect_no_difference(*daemon_);
    const Status now = status_of(*daemon_);
    EXPECT_TRUE(daemon_->running());
    EXPECT_EQ(now.instance, begun_.instance);
    EXPECT_EQ(now.epoch, begun_.epoch);
    EXPECT_EQ(now.phase, "following");
  }

  static std::unique_ptr<Deployment> deployment_;
  static std::unique_ptr<fixtures::MiniHmsync> daemon_;
  Status begun_;
};

std::unique_ptr<Deployment> SpoiltMessages::deployment_;
std::unique_ptr<fixtures::MiniHmsync> SpoiltMessages::daemon_;

/// How the message of a table's creation is spoilt.
struct Spoiling {
  const char* table;
  std::string set;  ///< as in UPDATE
  const char* type = "CREATE_TABLE";
};

const std::vector<Spoiling>& spoilings() {
  // Names are within JSON that is text within JSON: what is escaped twice is part of a name.
  const auto in_names = [](const char* name, const char* text) {
    return fmt::format(R"("MESSAGE" = replace("MESSAGE", '{0}', '{0}{1}'))", name, text);
  };
  static const std::vector<Spoiling> kAll = {
      {"not_json", R"("MESSAGE" = 'create a table, please')"},
      {"nothing", R"("MESSAGE" = '')"},
      {"blanks", R"("MESSAGE" = '   ')"},
      {"cut_short", R"("MESSAGE" = left("MESSAGE", length("MESSAGE") / 2))"},
      {"without_object", R"("MESSAGE" = replace("MESSAGE", 'tableObjJson', 'tableObj'))"},
      {"a_list", R"("MESSAGE" = '[' || "MESSAGE" || ']')"},
      {"wrong_nesting",
       R"("MESSAGE" = '{"server":{},"db":["sales"],"table":{"name":1},"tableObjJson":[[]]}')"},
      {"brackets", R"("MESSAGE" = repeat('[', 200000))"},
      {"nested_objects", R"("MESSAGE" = repeat('{"tableObjJson":', 200000))"},
      {"one_letter", R"("MESSAGE" = repeat('x', 3000000))"},
      {"unknown_type", R"("EVENT_TYPE" = 'CREATE_TABEL')", "CREATE_TABEL"},
      {"other_type", R"("EVENT_TYPE" = 'ALTER_TABLE')", "ALTER_TABLE"},
      {"other_format", R"("MESSAGE_FORMAT" = 'protobuf-1')"},
      {"not_gzip", R"("MESSAGE" = 'H4sIAAAAAAAA/wMA//8=')"},
      {"nul_in_names", in_names("nul_in_names", R"(\u0000)")},
      {"nul_within", in_names("nul_within", R"(\\u0000)")},
      {"surrogate_in_names", in_names("surrogate_in_names", R"(\ud800)")},
      {"surrogate_within", in_names("surrogate_within", R"(\\udc00)")},
  };
  return kAll;
}

TEST_F(SpoiltMessages, OfEachKindAreSetAsideAndWhatTheyNameIsReadAgain) {
  const double before = daemon_->metric("hmsync_events_quarantined_total");
  std::vector<std::pair<int64_t, Spoiling>> spoilt;
  while_paused(*daemon_, [&] {
    for (const Spoiling& spoiling : spoilings()) {
      create(spoiling.table);
      spoilt.emplace_back(event("CREATE_TABLE", spoiling.table), spoiling);
      spoil(spoilt.back().first, spoiling.set);
      create(std::string("after_") + spoiling.table);
    }
  });
  expect_right();
  for (const auto& [event, spoiling] : spoilt) {
    expect_set_aside(event, spoiling.type, spoiling.table);
  }
  EXPECT_EQ(daemon_->metric("hmsync_events_quarantined_total") - before, spoilt.size());
  EXPECT_EQ(daemon_->metric("hmsync_events_quarantined_total", R"(type="other")"), 1)
      << "of a type that is not known";
  EXPECT_EQ(status_of(*daemon_).quarantined - begun_.quarantined, spoilt.size());
  EXPECT_TRUE(has_problem(*daemon_, "quarantine"));
}

/// For values that are too long for psql's command line.
store::ConnectionOptions database(const std::string& dsn, const std::string& schema) {
  store::ConnectionOptions options;
  options.dsn = dsn;
  options.schema = schema;
  return options;
}

/// A gzip member of so many NULs.
std::string packed_nuls(int64_t bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib cannot begin");
  }
  std::string packed;
  std::vector<Bytef> nuls(1 << 20);
  std::vector<Bytef> out(1 << 16);
  for (int64_t left = bytes; left > 0;) {
    const auto part = std::min<int64_t>(left, static_cast<int64_t>(nuls.size()));
    left -= part;
    stream.next_in = nuls.data();
    stream.avail_in = static_cast<uInt>(part);
    do {
      stream.next_out = out.data();
      stream.avail_out = static_cast<uInt>(out.size());
      deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
      packed.append(reinterpret_cast<const char*>(out.data()), out.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return packed;
}

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

TEST_F(SpoiltMessages, OfGzipThatUnpackToFarTooMuchAreSetAside) {
  int64_t bomb = 0;
  int64_t mislabelled = 0;
  while_paused(*daemon_, [&] {
    create("bomb");
    create("mislabelled");
    bomb = event("CREATE_TABLE", "bomb");
    mislabelled = event("CREATE_TABLE", "mislabelled");
    spoil(mislabelled, R"("MESSAGE_FORMAT" = 'gzip(json-2.0)')");
    store::Connection metastore(database(deployment_->pg().dsn("hms"), "public"));
    EXPECT_EQ(metastore
                  .query(R"(UPDATE "NOTIFICATION_LOG" SET "MESSAGE_FORMAT" = 'gzip(json-2.0)',
                    "MESSAGE" = translate(encode($2::bytea, 'base64'), chr(10), '')
                    WHERE "EVENT_ID" = $1)",
                         {std::to_string(bomb), "\\x" + hex(packed_nuls(int64_t{1} << 30))})
                  .affected(),
              1);
  });
  expect_right();
  expect_set_aside(bomb, "CREATE_TABLE", "bomb");
  EXPECT_THAT(in_quarantine(bomb), HasSubstr("unpacks to more than"));
  EXPECT_EQ(in_quarantine(mislabelled), "") << "plain JSON under the other format is readable";
}

TEST_F(SpoiltMessages, OfARenameTakeTheGrantsToTheNewName) {
  ddl().create_database({"archive"});
  await_next_second();
  create("before");
  await_next_second();
  create_partitioned("parted");
  await_next_second();
  ddl().add_partitions("sales", "parted", {{{"2026-11-29"}}, {{"2026-11-30"}}});
  for (const char* object : {"sales.before", "sales.before.id", "sales.parted"}) {
    done(*daemon_, {"grant", "analyst", "SELECT", object});
  }
  int64_t renamed = 0;
  int64_t moved = 0;
  while_paused(*daemon_, [&] {
    ddl().rename_table("sales", "before", "sales", "after");
    ddl().rename_table("sales", "parted", "archive", "parted2");
    renamed = event("ALTER_TABLE", "after");
    moved = event("ALTER_TABLE", "parted2", "archive");
    spoil(renamed);
    spoil(moved);
  });
  expect_right();
  EXPECT_THAT(grants_in(*deployment_),
              ElementsAre("archive.parted2 SELECT", "sales.after SELECT", "sales.after.id SELECT"));
  EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"), IsEmpty());
  expect_set_aside(renamed, "ALTER_TABLE", "after");
  EXPECT_TRUE(log_tells(*daemon_, "poison", moved));
  EXPECT_EQ(
      deployment_->sql(fmt::format(
          "SELECT count(*) FROM hmsync.v1_audit WHERE event IN ({}, {}) AND before IS NOT NULL"
          " AND after IS NOT NULL AND who = 'event'",
          renamed, moved)),
      "3")
      << "each grant that moved";
  done(*daemon_, {"revoke", "analyst", "ALL", "sales"});
  done(*daemon_, {"revoke", "analyst", "ALL", "archive"});
}

TEST_F(SpoiltMessages, OfADropTakeTheGrantsAway) {
  ddl().create_database({"doomed"});
  create("inside", "doomed");
  create("gone");
  create("made_again");
  for (const char* object :
       {"sales.gone", "sales.gone.id", "sales.made_again", "doomed", "doomed.inside"}) {
    done(*daemon_, {"grant", "analyst", "SELECT", object});
  }
  int64_t gone = 0;
  int64_t database = 0;
  while_paused(*daemon_, [&] {
    ddl().drop_table("sales", "gone");
    ddl().drop_table("sales", "made_again");
    create("made_again");
    ddl().drop_database("doomed", true);
    gone = event("DROP_TABLE", "gone");
    database = event("DROP_DATABASE", "", "doomed");
    spoil(gone);
    spoil(event("DROP_TABLE", "made_again"));
    spoil(database);
  });
  expect_right();
  EXPECT_THAT(grants_in(*deployment_), IsEmpty());
  EXPECT_THAT(grants_in(*deployment_, "v1_suspended_grants"), IsEmpty())
      << "a drop is applied from its header";
  expect_set_aside(gone, "DROP_TABLE", "gone");
  EXPECT_THAT(in_quarantine(database), HasSubstr(R"("database":"doomed","table":null)"));
  EXPECT_EQ(deployment_->sql(fmt::format("SELECT count(*) FROM hmsync.v1_audit WHERE event = {}"
                                         " AND before IS NOT NULL AND after IS NULL",
                                         gone)),
            "2")
      << "each grant that went";
}

TEST_F(SpoiltMessages, OfDatabasesAndPartitionsAreMadeUpForToo) {
  create_partitioned("days");
  ddl().add_partitions("sales", "days", {{{"one"}}, {{"two"}}, {{"three"}}});
  ddl().create_database({"dropped"});
  const std::string warehouse = deployment_->hms().warehouse();
  std::vector<int64_t> spoilt;
  while_paused(*daemon_, [&] {
    ddl().add_partitions("sales", "days", {{{"four"}}});
    ddl().drop_partition("sales", "days", {"one"});
    ddl().alter_partition("sales", "days", {{"two"}, warehouse + "/elsewhere"});
    for (const char* type : {"ADD_PARTITION", "DROP_PARTITION", "ALTER_PARTITION"}) {
      spoilt.push_back(event(type, "days"));
    }
    ddl().create_database({"created"});
    ddl().drop_database("dropped");
    ddl().alter_database("sales", {.owner = processor::Owner{"carol"}});
    spoilt.push_back(event("CREATE_DATABASE", "", "created"));
    spoilt.push_back(event("DROP_DATABASE", "", "dropped"));
    spoilt.push_back(event("ALTER_DATABASE", "", "sales"));
    for (const int64_t event : spoilt) spoil(event);
  });
  expect_right();
  for (const int64_t event : spoilt) {
    EXPECT_THAT(in_quarantine(event), HasSubstr(R"("state":"quarantined")")) << event;
    EXPECT_TRUE(log_tells(*daemon_, "poison", event)) << event;
    EXPECT_EQ(audited(*deployment_, "quarantine", event), 1) << event;
  }
}

TEST_F(SpoiltMessages, OfTypesThatAreNeverReadSpoilNothing) {
  create("inserted_into");
  const double before = daemon_->metric("hmsync_events_ignored_total", R"(type="INSERT")");
  int64_t insert = 0;
  while_paused(*daemon_, [&] {
    ddl().insert_event("sales", "inserted_into");
    insert = event("INSERT", "inserted_into");
    spoil(insert);
  });
  expect_right();
  EXPECT_EQ(in_quarantine(insert), "");
  EXPECT_EQ(daemon_->metric("hmsync_events_ignored_total", R"(type="INSERT")") - before, 1);
}

class SpoiltMessagesInQuarantine : public SpoiltMessages {
 protected:
  void SetUp() override {
    SpoiltMessages::SetUp();
    table_ = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::transform(table_.begin(), table_.end(), table_.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    while_paused(*daemon_, [&] {
      create(table_);
      event_ = event("CREATE_TABLE", table_);
      message_ = deployment_->pg().query(
          fmt::format(R"(SELECT "MESSAGE" FROM "NOTIFICATION_LOG" WHERE "EVENT_ID" = {})", event_),
          "hms");
      message_.pop_back();
      spoil(event_);
    });
    ASSERT_NO_FATAL_FAILURE(wait_until_readable(*daemon_));
    ASSERT_EQ(state_of(event_), "quarantined 1");
  }

  fixtures::CommandResult quarantine(const char* verb) const {
    return daemon_->ctl({"quarantine", verb, std::to_string(event_), "--json"});
  }

  /// Of people, with its outcome.
  [[nodiscard]] std::string last_audit(const std::string& action) const {
    return deployment_->sql(
        fmt::format("SELECT who, outcome FROM hmsync.v1_audit WHERE action = '{}' AND event = {}"
                    " ORDER BY time DESC LIMIT 1",
                    action, event_));
  }

  /// As if it had never been read, which only another reading makes good.
  void lose_the_table() const {
    ASSERT_EQ(deployment_->sql("WITH lost AS (DELETE FROM hmsync.objects WHERE table_name = '" +
                               table_ + "' RETURNING 1) SELECT count(*) FROM lost"),
              "1");
  }

  int64_t event_ = 0;
  std::string table_;
  std::string message_;  ///< before it was spoilt
};

TEST_F(SpoiltMessagesInQuarantine, AreShownWhole) {
  const auto shown = quarantine("show");
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr(fmt::format(R"("event":{})", event_)),
                    HasSubstr(R"("type":"CREATE_TABLE")"), HasSubstr(R"("message":"spoilt")"),
                    HasSubstr(R"("message_format":"json-0.2")"), HasSubstr(R"("reason":")")));
  const auto text = daemon_->ctl({"quarantine", "show", std::to_string(event_)});
  EXPECT_THAT(text.out, HasSubstr("\nspoilt\n"));
  const auto absent = daemon_->ctl({"quarantine", "show", "999999"});
  EXPECT_EQ(absent.exit, 1);
  EXPECT_THAT(absent.err, HasSubstr("999999"));
}

TEST_F(SpoiltMessagesInQuarantine, AreNotAppliedByARetryWhileTheyStaySpoilt) {
  const auto retried = quarantine("retry");
  EXPECT_EQ(retried.exit, 1);
  EXPECT_THAT(retried.err, HasSubstr(fmt::format("event {}", event_)));
  EXPECT_EQ(state_of(event_), "quarantined 2");
  EXPECT_EQ(last_audit("retried").substr(last_audit("retried").find('|')), "|failed");
  expect_right();
}

TEST_F(SpoiltMessagesInQuarantine, AreAppliedByARetryOnceTheyAreRepaired) {
  const std::string waiting = deployment_->sql("SELECT quarantined_now FROM hmsync.v1_follower");
  lose_the_table();
  store::Connection privileges(database(deployment_->dsn(), "hmsync"));
  privileges.query("UPDATE quarantine SET message = convert_to($2, 'UTF8') WHERE event_id = $1",
                   {std::to_string(event_), message_});
  const auto retried = quarantine("retry");
  EXPECT_EQ(retried.exit, 0) << retried.out << retried.err;
  EXPECT_THAT(state_of(event_), testing::StartsWith("applied"));
  expect_right();
  EXPECT_EQ(std::stoll(waiting) -
                std::stoll(deployment_->sql("SELECT quarantined_now FROM hmsync.v1_follower")),
            1);
  EXPECT_EQ(audited(*deployment_, "retry", event_), 1) << "asked for";
  EXPECT_EQ(last_audit("retried").substr(last_audit("retried").find('|')), "|done");
  const auto again = quarantine("retry");
  EXPECT_EQ(again.exit, 1);
  EXPECT_THAT(again.err, HasSubstr("already"));
}

TEST_F(SpoiltMessagesInQuarantine, CanBeSkipped) {
  const auto skipped = quarantine("skip");
  EXPECT_EQ(skipped.exit, 0) << skipped.err;
  EXPECT_THAT(in_quarantine(event_), HasSubstr(R"("state":"skipped")"));
  EXPECT_EQ(audited(*deployment_, "skip", event_), 1);
  EXPECT_EQ(quarantine("retry").exit, 1) << "it waits no more";
  EXPECT_EQ(quarantine("skip").exit, 0) << "and is skipped already";
  EXPECT_EQ(audited(*deployment_, "skip", event_), 1);
  for (const std::string& line : lines_of(*daemon_, {"quarantine", "list"})) {
    if (line.find(R"("state":"quarantined")") == std::string::npos) continue;
    done(*daemon_, {"quarantine", "skip", line.substr(9, line.find(',') - 9)});
  }
  EXPECT_TRUE(fixtures::eventually(std::chrono::seconds(30),
                                   [] { return !has_problem(*daemon_, "quarantine"); }));
  EXPECT_EQ(daemon_->metric("hmsync_quarantine_events"), 0);
  expect_right();
}

/// Of which the metastore delivers nothing at all, nor of the events after it.
TEST_F(SpoiltMessages, OfSqlNullCountAsMissing) {
  const double gaps = daemon_->metric("hmsync_event_gaps_total");
  int64_t nothing = 0;
  while_paused(*daemon_, [&] {
    create("null_message");
    nothing = event("CREATE_TABLE", "null_message");
    spoil(nothing, R"("MESSAGE" = NULL)");
    create("after_null");
  });
  EXPECT_TRUE(fixtures::eventually(std::chrono::seconds(60), [&] {
    return daemon_->metric("hmsync_event_gaps_total") > gaps ||
           status_of(*daemon_).cursor > nothing;
  }));
  expect_right();
  EXPECT_EQ(daemon_->metric("hmsync_event_gaps_total") - gaps, 1);
  EXPECT_TRUE(log_tells(*daemon_, "gap", nothing));
  EXPECT_EQ(audited(*deployment_, "gap", nothing), 1);
}

}  // namespace
}  // namespace hmsync::integration
