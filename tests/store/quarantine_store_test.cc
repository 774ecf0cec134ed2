#include "store/quarantine_store.h"

#include "store/audit_reader.h"
#include "tests/store/postgres_fixture.h"

namespace hmsync::store {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class QuarantineStore : public PostgresFixture {
 protected:
  void keep(int64_t id, const std::string& message, int64_t generation = 0) {
    postgres_.side().query(R"(
INSERT INTO quarantine (server, generation, event_id, event_time, type, database_name, table_name,
                        message_format, message, reason)
VALUES ('server1', $1, $2, 1700000000, 'CREATE_TABLE', 'sales', 'orders', 'json-0.2',
        convert_to($3, 'UTF8'), 'it is not JSON'))",
                           {std::to_string(generation), std::to_string(id), message});
  }
  std::vector<std::string> list() {
    std::vector<std::string> lines;
    quarantine_lines(postgres_.connection(), "server1",
                     [&](std::string_view line) { lines.emplace_back(line); });
    return lines;
  }
  std::vector<std::string> audit_since(std::optional<double> since) {
    std::vector<std::string> lines;
    audit_lines(postgres_.connection(), "server1", since,
                [&](std::string_view line) { lines.emplace_back(line); });
    return lines;
  }
};

TEST_F(QuarantineStore, ListsItsEventsInTheFormOfTheInterface) {
  keep(7, "{");
  ASSERT_THAT(list(), SizeIs(1));
  EXPECT_THAT(list()[0],
              testing::MatchesRegex(
                  R"(\{"event":7,"type":"CREATE_TABLE","database":"sales","table":"orders",)"
                  R"("reason":"it is not JSON","attempts":1,"first_seen":)"
                  R"("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z","state":"quarantined"\})"));
}

TEST_F(QuarantineStore, ShowsTheWholeEventEvenBytesThatAreNoText) {
  keep(7, "");
  const std::string bytes("\x00\xff{\n", 4);
  postgres_.side().execute("UPDATE quarantine SET message = '\\x00ff7b0a'");
  const auto kept = kept_events(postgres_.connection(), "server1", 7);
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(kept[0].event.message, bytes);
  EXPECT_EQ(kept[0].event.time, 1700000000);
  EXPECT_EQ(kept[0].event.message_format, "json-0.2");
  EXPECT_EQ(kept[0].event.table, "orders");
  EXPECT_FALSE(kept[0].event.catalog.has_value());
  EXPECT_FALSE(kept[0].event.withheld.has_value());
  EXPECT_TRUE(kept[0].current);
  EXPECT_EQ(kept[0].state, "quarantined");
  EXPECT_THAT(kept_events(postgres_.connection(), "server1", 8), IsEmpty());
}

TEST_F(QuarantineStore, OfTwinsAndEarlierHistoriesThoseThatWaitComeFirst) {
  keep(7, "settled");
  postgres_.side().execute("UPDATE quarantine SET state = 'applied'");
  postgres_.side().execute("UPDATE followers SET generation = 1");
  keep(7, "old", 0);
  keep(7, "new", 1);
  const auto kept = kept_events(postgres_.connection(), "server1", 7);
  ASSERT_THAT(kept, SizeIs(3));
  EXPECT_EQ(kept[0].event.message, "new");
  EXPECT_TRUE(kept[0].current);
  EXPECT_EQ(kept[1].event.message, "old");
  EXPECT_FALSE(kept[1].current);
  EXPECT_EQ(kept[2].state, "applied");
}

TEST_F(QuarantineStore, ASkippedEventDoesNotWaitAnyMoreAndIsAudited) {
  keep(7, "one");
  keep(7, "twin");
  keep(8, "other");
  EXPECT_EQ(skip_events(postgres_.connection(), "server1", 7, "alice"), 2);
  EXPECT_EQ(skip_events(postgres_.connection(), "server1", 7, "alice"), 0);
  EXPECT_EQ(skip_events(postgres_.connection(), "server2", 8, "alice"), 0);
  EXPECT_THAT(postgres_.lines("SELECT event_id || ' ' || state FROM quarantine"),
              ElementsAre("7 skipped", "7 skipped", "8 quarantined"));
  EXPECT_THAT(audit(), ElementsAre("alice skip sales.orders 7", "alice skip sales.orders 7"));
  EXPECT_EQ(postgres_.lines("SELECT quarantined_now::text FROM v1_follower"),
            std::vector<std::string>{"1"});
}

TEST_F(QuarantineStore, TheAuditIsListedFromATimeOnInItsOrder) {
  postgres_.side().execute(R"(
INSERT INTO audit (time, server, who, action, object, event, before, after, outcome) VALUES
  (to_timestamp(1700000100.5), 'server1', 'alice', 'grant', 'sales', NULL, NULL, '{"a": 1}', 'done'),
  (to_timestamp(1700000000), 'server1', 'event', 'gap', '', 7, NULL, NULL, 'done'),
  (to_timestamp(1700000200), 'server2', 'bob', 'grant', '', NULL, NULL, NULL, 'done'))");
  const std::string gap =
      R"({"time":"2023-11-14T22:13:20.000Z","who":"event","action":"gap","object":null,"event":7,)"
      R"("before":null,"after":null,"outcome":"done"})";
  const std::string grant =
      R"({"time":"2023-11-14T22:15:00.500Z","who":"alice","action":"grant","object":"sales",)"
      R"("event":null,"before":null,"after":{"a": 1},"outcome":"done"})";
  EXPECT_THAT(audit_since(std::nullopt), ElementsAre(gap, grant));
  EXPECT_THAT(audit_since(1700000000.0), ElementsAre(gap, grant));
  EXPECT_THAT(audit_since(1700000100.5), ElementsAre(grant));
  EXPECT_THAT(audit_since(1700000100.6), IsEmpty());
}

}  // namespace
}  // namespace hmsync::store
