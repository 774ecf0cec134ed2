#include "store/event_store.h"

#include <random>
#include <thread>

#include "tests/store/postgres_fixture.h"

namespace hmsync::store {

namespace {

using namespace processor;
using testing::ElementsAre;
using testing::IsEmpty;

class EventStore : public PostgresFixture {
 protected:
  /// Path changes in order: "event change table values path new name".
  std::vector<std::string> path_changes() {
    const Result rows = postgres_.side().query(R"(
SELECT concat_ws(' ', event_id, change, database_name, table_name, partition_values::text,
                 location_text(scheme, authority, path), new_database_name, new_table_name)
FROM path_changes ORDER BY change_id)");
    std::vector<std::string> changes;
    for (int row = 0; row < rows.rows(); ++row) changes.emplace_back(rows.text(row, 0));
    return changes;
  }

  std::vector<std::string> re_reads() {
    return postgres_.lines(
        "SELECT concat_ws(' ', database_name, nullif(table_name, ''), event_id) FROM "
        "pending_re_reads");
  }
};

/// Text that compression does not make shorter than a key may be.
std::string noise_of(int length) {
  std::minstd_rand random(1);
  std::string text;
  for (int i = 0; i < length; ++i) text += static_cast<char>('a' + random() % 26);
  return text;
}

Claim claimed(int64_t event_id, const TableName& name, Claim::Kind kind = Claim::Kind::changed,
              const TableName& from = {}) {
  Claim claim;
  claim.event_id = event_id;
  claim.kind = kind;
  claim.name = name;
  claim.from = from;
  return claim;
}

Event spoilt(int64_t id, const std::string& database, const std::string& table) {
  Event event;
  event.id = id;
  event.type = "CREATE_TABLE";
  event.database = database;
  event.table = table;
  event.message = std::string("\0\xFF{", 3);
  return event;
}

/// As many events on as many objects, of all kinds.
std::vector<Mutation> many(int count) {
  std::vector<Mutation> mutations;
  int64_t id = 0;
  for (int i = 0; i < count; ++i) {
    const std::string name = "t" + std::to_string(i);
    mutations.push_back({++id, CreateTableRow{table("sales", name)}});
    mutations.push_back({++id, PutPartitions{named("sales", name), {partition({"1"}, "/1")}}});
    mutations.push_back({++id, UpdateTable{table("sales", name), {"gone"}}});
    mutations.push_back(
        {++id, RenameTable{named("sales", name), table("archive", name), std::nullopt, {}}});
    mutations.push_back({++id, RemovePartitions{named("archive", name), {{"1"}}}});
  }
  return mutations;
}

TEST_F(EventStore, ABatchIsOneRoundTripWhateverItsSize) {
  for (const int count : {2, 200}) {
    const follower::Fence now = fence();
    follower::Batch batch;
    batch.cursor = 5 * count;
    batch.mutations = many(count);
    for (int i = 0; i < count; ++i) {
      const std::string name = "c" + std::to_string(i);
      batch.claims.push_back(
          claimed(i, named("sales", name), Claim::Kind::renamed, named("old", name)));
      batch.quarantined.push_back({spoilt(i, "sales", name), "a test"});
      batch.notes.push_back({"late", i, "a test"});
      batch.digests.push_back({i, {}});
    }
    const int before = postgres_.observer().round_trips;
    store_.events().apply(now, batch);
    EXPECT_EQ(postgres_.observer().round_trips - before, 1) << count;
    EXPECT_EQ(store_.objects().size(), static_cast<size_t>(count));
    apply(5 * count, {{5 * count, RemoveDatabase{{kDefaultCatalog, "archive"}}}});
  }
}

TEST_F(EventStore, TheStateIsOneRoundTripWithItsDigests) {
  follower::Batch batch;
  batch.cursor = 2;
  batch.digests = {{1, {}}, {2, {}}};
  store_.events().apply(fence(), batch);
  const int before = postgres_.observer().round_trips;
  EXPECT_EQ(store_.events().state().digests.size(), 2u);
  EXPECT_EQ(postgres_.observer().round_trips - before, 1);
}

TEST_F(EventStore, NotesAloneAreOneRoundTrip) {
  const follower::Fence now = fence();
  const int before = postgres_.observer().round_trips;
  store_.events().note(now, {{"gap", 6, "it is missing"}, {"reset", 7, "another history"}});
  EXPECT_EQ(postgres_.observer().round_trips - before, 1);
  EXPECT_THAT(audit(), ElementsAre("event gap 6", "event reset 7"));
}

TEST_F(EventStore, ACommitWhoseReplyIsLostIsTransientAndTheStateTellsThatItWentThrough) {
  const follower::FollowerState before = store_.events().state();
  follower::Batch batch;
  batch.cursor = 1;
  batch.mutations = {{1, PutDatabase{database("sales")}}};
  // The answer never comes to be read: the call is interrupted once everything was sent.
  postgres_.observer().on_commit_sent = [this] {
    while (postgres_.lines("SELECT 1::text FROM followers WHERE cursor = 1").empty()) {
      std::this_thread::yield();
    }
    postgres_.connection().interrupt();
  };
  try {
    store_.events().apply({token_, before.commit_number}, batch);
    FAIL() << "the reply was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::transient) << error.what();
  }
  postgres_.observer().on_commit_sent = [] {};
  EXPECT_EQ(store_.events().state().cursor, 1);
  EXPECT_EQ(store_.events().state().commit_number, before.commit_number + 1);
}

TEST_F(EventStore, ASessionThatWasEndedWhileIdleIsReplacedUnnoticed) {
  const follower::Fence now = fence();
  postgres_.side().query("SELECT pg_terminate_backend($1, 10000)",
                         {std::to_string(postgres_.connection().backend_pid())});
  follower::Batch batch;
  batch.cursor = 1;
  store_.events().apply(now, batch);
  EXPECT_EQ(store_.events().state().cursor, 1);
}

TEST_F(EventStore, ASessionThatIsEndedWithinACallIsTransientAndTheNextCallConnectsAnew) {
  const follower::Fence now = fence();
  const int pid = postgres_.connection().backend_pid();
  postgres_.side().execute("BEGIN; SELECT FROM followers FOR UPDATE");
  std::thread ender([&] {
    // Ends it only once it waits for the row.
    Connection watcher(postgres_.options());
    while (watcher
               .query("SELECT pg_terminate_backend($1) FROM pg_stat_activity WHERE pid = $1"
                      " AND wait_event_type = 'Lock'",
                      {std::to_string(pid)})
               .rows() == 0) {
      std::this_thread::yield();
    }
  });
  follower::Batch batch;
  batch.cursor = 1;
  try {
    store_.events().apply(now, batch);
    ADD_FAILURE() << "the session was not ended";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::transient) << error.what();
  }
  ender.join();
  postgres_.side().execute("ROLLBACK");
  store_.events().apply(now, batch);
  EXPECT_EQ(store_.events().state().cursor, 1);
}

TEST_F(EventStore, LogRowsPastTheirRetentionAreTrimmedAndTheChangeLogTellsHowFar) {
  apply(1, {{1, CreateTableRow{table("sales", "old")}}});
  postgres_.side().execute(
      "UPDATE path_changes SET changed_at = now() - interval '8 days';"
      "INSERT INTO audit (time, server, who, action) SELECT now() - days * interval '1 day',"
      " server, 'somebody', 'something' FROM followers, unnest(ARRAY[399, 401]) AS days;"
      "INSERT INTO requests (server, kind, arguments, requested_by, state, finished_at)"
      " SELECT server, 'resync', '{}', 'somebody', state, now() - interval '401 days'"
      " FROM followers, unnest(ARRAY['finished', 'pending']) AS state");
  const std::string last = postgres_.lines("SELECT max(change_id)::text FROM path_changes").at(0);
  apply(2, {{2, CreateTableRow{table("sales", "new")}}});
  EXPECT_FALSE(store_.events().trim(fence()));
  EXPECT_THAT(postgres_.lines("SELECT DISTINCT table_name FROM path_changes"), ElementsAre("new"));
  EXPECT_THAT(
      postgres_.lines("SELECT trimmed_through::text FROM change_log_trims WHERE log = 'path'"),
      ElementsAre(last));
  EXPECT_THAT(
      postgres_.lines("SELECT round(extract(epoch FROM now() - time) / 86400)::text FROM audit"
                      " WHERE action = 'something'"),
      ElementsAre("399"));
  EXPECT_THAT(postgres_.lines("SELECT state FROM requests"), ElementsAre("pending"));
}

TEST_F(EventStore, ALateWriterWaitsForTheLockAndIsFencedThen) {
  const follower::Fence now = fence();
  postgres_.side().execute(
      "BEGIN; UPDATE followers SET token_epoch = 8, token_nonce = 'successor'");
  std::thread successor([this] {
    // Commits only once the late writer waits for the row.
    Connection watcher(postgres_.options());
    while (watcher.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'").rows() ==
           0) {
      std::this_thread::yield();
    }
    postgres_.side().execute("COMMIT");
  });
  follower::Batch batch;
  batch.cursor = 1;
  batch.mutations = {{1, PutDatabase{database("sales")}}};
  ErrorKind kind = ErrorKind::fatal;
  try {
    store_.events().apply(now, batch);
  } catch (const Error& error) {
    kind = error.kind();
  }
  successor.join();
  EXPECT_EQ(kind, ErrorKind::fenced);
  EXPECT_THAT(store_.objects(), IsEmpty());
}

TEST_F(EventStore, KeepsNamesValuesAndLocationsThatHurt) {
  const std::string name =
      "o'\"\\{,}\t\n; DROP TABLE grants; -- \xC3\xA4\xE6\xBC\xA2\xF0\x9F\x90\x9D";
  const std::string long_text(3000, 'x');
  const std::string noise = noise_of(6000);
  Table hostile = table(name, name);
  hostile.owner.name = name;
  hostile.location = at("/" + noise + long_text);
  apply(4, {{1, PutDatabase{database(name)}},
            {2, CreateTableRow{hostile}},
            {3, PutPartitions{named(name, name),
                              {{{name, noise}, at("/" + noise + "/p")},
                               {{"", "NULL"}, std::nullopt},
                               {{long_text, "{}"}, at("/" + name)}}}},
            {4, PutPartitions{named(name, name), {{{name, noise}, at("/changed")}}}}});
  EXPECT_EQ(postgres_.lines("SELECT owner FROM v1_tables"), std::vector<std::string>{name});
  EXPECT_EQ(postgres_.lines("SELECT \"table\" FROM v1_tables"), std::vector<std::string>{name});
  EXPECT_EQ(postgres_.lines("SELECT location FROM v1_tables"),
            std::vector<std::string>{"hdfs://nn/" + noise + long_text});
  EXPECT_THAT(postgres_.lines("SELECT coalesce(location, 'none') FROM v1_partitions"),
              ElementsAre("hdfs://nn/changed", "hdfs://nn/" + name, "none"));
  EXPECT_THAT(postgres_.lines("SELECT values[1] FROM v1_partitions"),
              ElementsAre("", name, long_text));
  apply(5, {{5, RemovePartitions{named(name, name), {{name, noise}, {"", "NULL"}}}}});
  EXPECT_THAT(postgres_.lines("SELECT values[2] FROM v1_partitions"), ElementsAre("{}"));
}

TEST_F(EventStore, WhatPostgresqlCannotHoldIsPoisonAndCanBeSetAside) {
  const std::string noise = noise_of(6000);
  for (const std::string& bad : {std::string("nul\0inside", 10), std::string("\xC3("), noise}) {
    follower::Batch batch;
    batch.cursor = 1;
    batch.mutations = {{1, CreateTableRow{table("sales", bad)}}};
    try {
      store_.events().apply(fence(), batch);
      ADD_FAILURE() << "it was stored";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::poison) << error.what();
    }
    batch.mutations.clear();
    batch.quarantined = {{spoilt(1, "Sales", bad), "it says " + bad}};
    batch.claims = {claimed(1, named("sales", bad), Claim::Kind::created)};
    batch.claims.front().identity = bad;
    batch.notes = {{"poison", 1, "it says " + bad}};
    EXPECT_NO_THROW(store_.events().apply(fence(), batch));
  }
  EXPECT_THAT(postgres_.lines("SELECT encode(message, 'hex') FROM quarantine"),
              ElementsAre("00ff7b", "00ff7b", "00ff7b"));
  EXPECT_EQ(
      postgres_.lines("SELECT outcome FROM audit WHERE action = 'quarantine' AND event = 1").size(),
      3u);
  EXPECT_THAT(re_reads(), ElementsAre(" 1")) << "what has no usable name: everything is read again";
  EXPECT_THAT(postgres_.lines("SELECT concat_ws(' ', kind, catalog, database_name, table_name, "
                              "left(identity, 4)) FROM event_claims"),
              ElementsAre("changed hive   nul\xEF\xBF\xBD", "changed hive   " + noise.substr(0, 4),
                          "changed hive   \xEF\xBF\xBD("));
}

TEST_F(EventStore, AnEmptyNameIsPoisonSinceItMeansTheDatabaseOrTheServer) {
  grant({"sales", 0});
  for (const Mutation& mutation :
       {Mutation{1, RemoveTable{named("sales", "")}},
        Mutation{1, RemoveDatabase{{kDefaultCatalog, ""}}},
        Mutation{1, PutPartitions{named("sales", "orders"), {partition({}, "/x")}}}}) {
    follower::Batch batch;
    batch.cursor = 1;
    batch.mutations = {mutation};
    try {
      store_.events().apply(fence(), batch);
      ADD_FAILURE() << "it was applied";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::poison) << error.what();
    }
  }
  EXPECT_THAT(grants(), ElementsAre("sales SELECT 0 "));
}

TEST_F(EventStore, EveryChangedPathIsInTheChangeLogInOrder) {
  apply(1, {{1, CreateTableRow{table("sales", "orders")}}});
  apply(2,
        {{2, PutPartitions{named("sales", "orders"), {partition({"a"}, "/w/sales.db/orders/a")}}}});
  apply(3,
        {{3, PutPartitions{named("sales", "orders"), {partition({"a"}, "/w/sales.db/orders/a")}}}});
  apply(4, {{4, UpdateTable{table("sales", "orders"), {}}}});
  apply(5, {{5, RenameTable{named("sales", "orders"),
                            table("sales", "bills"),
                            PathRewrite{"/w/sales.db/orders", "/w/sales.db/bills"},
                            {}}}});
  apply(6, {{6, RemovePartitions{named("sales", "bills"), {{"a"}}}}});
  apply(7, {{7, RemoveTable{named("sales", "bills")}}});
  EXPECT_THAT(path_changes(), ElementsAre("1 added sales orders {} hdfs://nn/w/sales.db/orders",
                                          "2 added sales orders {a} hdfs://nn/w/sales.db/orders/a",
                                          "5 renamed sales orders sales bills",
                                          "5 removed sales bills {} hdfs://nn/w/sales.db/orders",
                                          "5 added sales bills {} hdfs://nn/w/sales.db/bills",
                                          "5 removed sales bills {a} hdfs://nn/w/sales.db/orders/a",
                                          "5 added sales bills {a} hdfs://nn/w/sales.db/bills/a",
                                          "6 removed sales bills {a} hdfs://nn/w/sales.db/bills/a",
                                          "7 removed sales bills"));
}

TEST_F(EventStore, ARewriteReplacesEveryOccurrenceAndNothingElse) {
  apply(1,
        {{1, CreateTableRow{table("sales", "t")}},
         {1, PutPartitions{
                 named("sales", "t"),
                 {partition({"a"}, "/t/x/t/y"), partition({"%"}, "/u"), {{"n"}, std::nullopt}}}}});
  apply(2,
        {{2, RenameTable{named("sales", "t"), table("sales", "v"), PathRewrite{"/t", "/v"}, {}}}});
  EXPECT_THAT(postgres_.lines("SELECT coalesce(location, '-') FROM v1_partitions"),
              ElementsAre("-", "hdfs://nn/u", "hdfs://nn/v/x/v/y"));
}

TEST_F(EventStore, TwoEventsOfOneIdKeepTheirOwnObjects) {
  apply(1, {{1, CreateTableRow{table("sales", "a", "created:1")}},
            {1, CreateTableRow{table("sales", "b", "created:2")}}});
  apply(2, {{2, RenameTable{named("sales", "a"), table("x", "a2"), std::nullopt, {}}},
            {2, RenameTable{named("sales", "b"), table("y", "b2"), std::nullopt, {}}}});
  EXPECT_THAT(postgres_.lines("SELECT database_name || '.' || table_name || ' ' || identity "
                              "FROM objects"),
              ElementsAre("x.a2 created:1", "y.b2 created:2"));
}

TEST_F(EventStore, AnAlterKeepsTheIdentityThatIsStored) {
  apply(1, {{1, CreateTableRow{table("sales", "orders", "created:1")}}});
  apply(3,
        {{2, UpdateTable{table("sales", "orders", "created:99"), {}}},
         {3,
          RenameTable{
              named("sales", "orders"), table("sales", "bills", "created:98"), std::nullopt, {}}}});
  EXPECT_THAT(postgres_.lines("SELECT identity FROM objects"), ElementsAre("created:1"));
}

TEST_F(EventStore, ANameThatCannotBeStoredWasNeverWhatATableWasRenamedFrom) {
  follower::Batch batch;
  batch.cursor = 1;
  batch.claims = {claimed(1, named("sales", "orders"), Claim::Kind::renamed,
                          named("sales", std::string("nul\0inside", 10)))};
  store_.events().apply(fence(), batch);
  EXPECT_THAT(store_.claims(), ElementsAre("1 renamed sales.orders"));
  EXPECT_THAT(re_reads(), ElementsAre("sales orders 1"));
}

TEST_F(EventStore, ClaimsAndReReadsAreOfTheGenerationInWhichTheyWereMade) {
  follower::Batch batch;
  batch.cursor = 5;
  batch.claims = {claimed(5, named("sales", "orders"))};
  store_.events().apply(fence(), batch);
  postgres_.side().execute("UPDATE followers SET generation = 3");
  batch.claims = {claimed(9, named("sales", "orders"))};
  store_.events().apply(fence(), batch);
  EXPECT_THAT(postgres_.lines("SELECT generation || ' ' || event_id FROM event_claims"),
              ElementsAre("0 5", "3 9"));
  EXPECT_THAT(postgres_.lines("SELECT generation || ' ' || event_id FROM pending_re_reads"),
              ElementsAre("3 9"))
      << "an id of another history says nothing";
}

TEST_F(EventStore, ReReadsAndClaimsHaveNumbersOfOneSequenceThatOnlyGrow) {
  follower::Batch batch;
  batch.cursor = 1;
  batch.claims = {claimed(1, named("sales", "orders"))};
  std::string numbers = "0";
  for (int i = 0; i < 3; ++i) {
    store_.events().apply(fence(), batch);
    EXPECT_THAT(
        postgres_.lines("SELECT (min(number) > " + numbers +
                        " AND count(DISTINCT number) = 2)"
                        "::text FROM (SELECT max(claim_id) AS number FROM event_claims UNION "
                        "SELECT request_id FROM pending_re_reads) n"),
        ElementsAre("true"))
        << i;
    numbers = postgres_
                  .lines(
                      "SELECT greatest(max(claim_id), max(request_id))::text "
                      "FROM event_claims, pending_re_reads")
                  .at(0);
  }
}

TEST_F(EventStore, AnAnswerToPollsWakesTheWaitersAndWaitsForNoBatch) {
  store_.events().state();
  postgres_.side().listen("hmsync_cursor");
  Connection holder(postgres_.options());
  holder.execute("BEGIN; UPDATE followers SET commit_number = commit_number");
  store_.events().answer_polls(1);  // would time out behind the lock
  holder.execute("ROLLBACK");
  EXPECT_TRUE(postgres_.side().wait_for_notification("server1", -1, std::chrono::seconds(60)));
}

TEST_F(EventStore, ADigestThatDoesNotChangeIsNotWritten) {
  follower::Batch batch;
  batch.cursor = 1;
  batch.digests = {{1, {}}};
  store_.events().apply(fence(), batch);
  const std::vector<std::string> before = postgres_.lines("SELECT xmin::text FROM event_digests");
  batch.cursor = 2;
  store_.events().apply(fence(), batch);
  EXPECT_EQ(postgres_.lines("SELECT xmin::text FROM event_digests"), before);
}

TEST_F(EventStore, ADatabaseOfWhichOnlyTheNameIsToldIsReadAgain) {
  Database only_name;
  only_name.name.database = "sales";
  apply(1, {{1, PutDatabase{only_name}}});
  EXPECT_THAT(store_.objects(), ElementsAre("database sales - -"));
  EXPECT_THAT(re_reads(), ElementsAre("sales 1"));
}

TEST_F(EventStore, CountsAreSummedUpAndProgressIsTold) {
  postgres_.side().listen("hmsync_cursor");
  follower::Batch batch;
  batch.cursor = 1;
  batch.counts = {3, 2, 1, 4, 5, 6};
  store_.events().apply(fence(), batch);
  store_.events().apply(fence(), batch);
  EXPECT_THAT(
      postgres_.lines("SELECT concat_ws(' ', applied, ignored, quarantined, late, shared_id, "
                      "refuted, shared_ids_seen) FROM followers"),
      ElementsAre("6 4 2 8 10 12 t"));
  EXPECT_TRUE(postgres_.side().wait_for_notification("server1", -1, std::chrono::seconds(60)));
}

TEST_F(EventStore, ARecordedHeadWaitsForNoBatch) {
  store_.events().state();
  postgres_.side().execute("BEGIN; UPDATE followers SET commit_number = commit_number");
  postgres_.record_head(12);  // would time out behind the lock
  postgres_.side().execute("ROLLBACK");
  EXPECT_THAT(
      postgres_.lines("SELECT head || ' ' || (caught_up_at IS NULL) FROM follower_progress"),
      ElementsAre("12 true"));
  apply(12, {});
  postgres_.record_head(12);
  EXPECT_THAT(
      postgres_.lines("SELECT head || ' ' || (caught_up_at IS NULL) FROM follower_progress"),
      ElementsAre("12 false"));
}

}  // namespace

}  // namespace hmsync::store
