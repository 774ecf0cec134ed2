#include "store/order_store.h"

#include "tests/store/postgres_fixture.h"

namespace hmsync::store {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class OrderStore : public PostgresFixture {
 protected:
  void ask_to_revoke(int64_t at_event, const std::string& database) {
    postgres_.side().query(R"(
INSERT INTO requests (server, kind, arguments, at_event, requested_by, requested_at)
VALUES ('server1', 'revoke',
        jsonb_build_object('role', 'analyst', 'action', 'SELECT', 'catalog', 'hive',
                           'database', $2::text, 'table', null, 'column', null, 'uri', null),
        $1, 'alice', clock_timestamp()))",
                           {std::to_string(at_event), database});
  }

  void set_aside(int64_t id) {
    processor::Event event;
    event.id = id;
    event.type = "ALTER_TABLE";
    event.message = "{";
    follower::Batch batch;
    batch.cursor = id;
    batch.quarantined = {{event, "not readable"}};
    store_.events().apply(fence(), batch);
  }

  std::vector<std::string> quarantine() {
    return postgres_.lines(
        "SELECT concat_ws(' ', event_id, state, attempts, reason) FROM quarantine");
  }
};

TEST_F(OrderStore, TellsWhatBecameOfAResync) {
  follower::ResyncRequest asked;
  asked.requested_by = "alice";
  const int64_t id = postgres_.orders().ask_resync(asked);
  EXPECT_FALSE(postgres_.orders().request(id)->finished);
  follower::ResyncOutcome outcome{"done", "a \"reason\"", 12, 0.25, {}};
  outcome.difference.added = {1, 2, 3};
  outcome.difference.changed = {4, 5, 6};
  outcome.difference.removed = {7, 8, 9};
  outcome.difference.suspended_grants = 10;
  store_.orders().finish(fence(), id, outcome);
  const std::optional<RequestState> state = postgres_.orders().request(id);
  ASSERT_TRUE(state && state->finished);
  EXPECT_EQ(state->outcome.outcome, "done");
  EXPECT_EQ(state->outcome.reason, "a \"reason\"");
  EXPECT_EQ(state->outcome.event, 12);
  EXPECT_EQ(state->outcome.seconds, 0.25);
  EXPECT_EQ(state->outcome.difference.added.partitions, 3);
  EXPECT_EQ(state->outcome.difference.changed.databases, 4);
  EXPECT_EQ(state->outcome.difference.removed.tables, 8);
  EXPECT_EQ(state->outcome.difference.suspended_grants, 10);
  EXPECT_FALSE(state->scope.database.has_value());
  EXPECT_FALSE(postgres_.orders().request(id + 1).has_value());
}

TEST_F(OrderStore, EveryVerbOfPeopleIsAudited) {
  follower::ResyncRequest asked;
  asked.requested_by = "alice";
  asked.scope.database = processor::DatabaseName{processor::kDefaultCatalog, "sales"};
  postgres_.orders().ask_resync(asked);
  postgres_.orders().pause("bob", std::nullopt, "an upgrade");
  postgres_.orders().resume("carol");
  EXPECT_THAT(audit(), ElementsAre("alice resync sales", "bob pause", "carol resume"));
}

TEST_F(OrderStore, TellsWhatBecameOfARetry) {
  set_aside(4);
  const int64_t id = postgres_.orders().ask_retry(4, "alice");
  std::optional<RequestState> state = postgres_.orders().request(id);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->kind, RequestState::Kind::retry);
  EXPECT_EQ(state->event, 4);
  EXPECT_FALSE(state->finished);
  store_.orders().retried(fence(), {id, 4, "alice"}, {{{}, "still not readable"}});
  state = postgres_.orders().request(id);
  ASSERT_TRUE(state && state->finished);
  EXPECT_EQ(state->outcome.outcome, "failed");
  EXPECT_EQ(state->outcome.reason, "still not readable");
  EXPECT_EQ(state->outcome.event, 4);
  EXPECT_THAT(quarantine(), ElementsAre("4 quarantined 2 still not readable"));

  const int64_t again = postgres_.orders().ask_retry(4, "alice");
  store_.orders().retried(fence(), {again, 4, "alice"}, {{{}, ""}});
  EXPECT_EQ(postgres_.orders().request(again)->outcome.outcome, "done");
  EXPECT_EQ(postgres_.orders().request(again)->outcome.reason, "");
  EXPECT_THAT(quarantine(), ElementsAre("4 applied 2 still not readable"));
  EXPECT_THAT(postgres_.lines("SELECT concat_ws(' ', who, action, event, outcome) FROM audit "
                              "WHERE action LIKE 'retr%'"),
              ElementsAre("alice retried 4 done", "alice retried 4 failed", "alice retry 4 done",
                          "alice retry 4 done"));
}

TEST_F(OrderStore, ARetryOfAnEventThatIsNotInQuarantineFails) {
  const int64_t id = postgres_.orders().ask_retry(4, "alice");
  store_.orders().retried(fence(), {id, 4, "alice"}, {});
  const std::optional<RequestState> state = postgres_.orders().request(id);
  ASSERT_TRUE(state && state->finished);
  EXPECT_EQ(state->outcome.outcome, "failed");
  EXPECT_EQ(state->outcome.reason, "there is no such event in quarantine");
}

TEST_F(OrderStore, ARetryOfWhatWasSettledMeanwhileIsTriedAgain) {
  set_aside(4);
  set_aside(4);
  const int64_t id = postgres_.orders().ask_retry(4, "alice");
  ASSERT_EQ(store_.orders().quarantined(4).size(), 2u);
  postgres_.side().execute(
      "UPDATE quarantine SET state = 'skipped' WHERE quarantine_id = "
      "(SELECT min(quarantine_id) FROM quarantine)");
  try {
    store_.orders().retried(fence(), {id, 4, "alice"}, {{{}, ""}, {{}, "not readable"}});
    ADD_FAILURE() << "an outcome was taken for another event's";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::transient) << error.what();
  }
  EXPECT_EQ(store_.orders().pending().retries.size(), 1u);
  EXPECT_THAT(quarantine(),
              ElementsAre("4 quarantined 1 not readable", "4 skipped 1 not readable"));
}

TEST_F(OrderStore, EventsOfAnotherGenerationAreNotRetried) {
  set_aside(4);
  postgres_.side().execute("UPDATE followers SET generation = 1");
  EXPECT_THAT(store_.orders().quarantined(4), IsEmpty());
}

TEST_F(OrderStore, PollsAreNumberedAndToldToTheLeader) {
  postgres_.side().execute("DELETE FROM follower_progress");
  EXPECT_EQ(store_.orders().pending().polls_asked, 0);
  EXPECT_EQ(postgres_.orders().ask_poll(), 1);
  PostgresOrderStore standby(postgres_.side(), "server1");
  EXPECT_EQ(standby.ask_poll(), 2);
  EXPECT_EQ(store_.orders().pending().polls_asked, 2);
  EXPECT_EQ(store_.orders().pending().polls_answered, 0);
  store_.events().answer_polls(1);
  EXPECT_EQ(store_.orders().pending().polls_answered, 1);
}

TEST_F(OrderStore, AtMostSoManyReReadsAreToldTheOldestFirst) {
  postgres_.side().execute(
      "INSERT INTO pending_re_reads (server, catalog, database_name, table_name, event_id, "
      "generation) SELECT 'server1', 'hive', 'sales', 't' || i, 1, 0 "
      "FROM generate_series(0, 600) AS i ORDER BY i");
  const std::vector<follower::Scope> re_reads = store_.orders().pending().re_reads;
  ASSERT_EQ(re_reads.size(), 500u);
  for (size_t i = 0; i < re_reads.size(); ++i) {
    ASSERT_EQ(re_reads[i].table, "t" + std::to_string(i));
  }
}

TEST_F(OrderStore, WhatIsPendingIsOneRoundTrip) {
  set_aside(4);
  postgres_.orders().ask_retry(4, "alice");
  postgres_.orders().ask_poll();
  postgres_.orders().pause("alice", std::nullopt, "");
  const int before = postgres_.observer().round_trips;
  const follower::Orders orders = store_.orders().pending();
  EXPECT_EQ(postgres_.observer().round_trips - before, 1);
  EXPECT_TRUE(orders.pause.has_value());
  EXPECT_EQ(orders.retries.size(), 1u);
  EXPECT_EQ(orders.polls_asked, 1);
}

TEST_F(OrderStore, APauseEndsByItselfOrByResume) {
  const follower::Pause pause =
      postgres_.orders().pause("alice", std::chrono::seconds(3600), "an upgrade");
  EXPECT_EQ(pause.until, pause.since + 3600);
  EXPECT_EQ(store_.orders().pending().pause->until, pause.until);
  EXPECT_EQ(postgres_.orders().resume("bob")->by, "alice");
  EXPECT_FALSE(postgres_.orders().resume("bob").has_value());
  EXPECT_FALSE(store_.orders().pending().pause.has_value());
  postgres_.orders().pause("alice", std::chrono::seconds(3600), "");
  postgres_.side().execute("UPDATE pauses SET until = now() - interval '1 second'");
  EXPECT_FALSE(store_.orders().pending().pause.has_value());
  EXPECT_FALSE(postgres_.orders().resume("bob").has_value());
}

TEST_F(OrderStore, ARevokeIsRepeatedWhenTheCursorIsThereAndTakesOnlyGrantsMadeBefore) {
  apply(1, {});
  grant({"sales.moved", 1});
  ask_to_revoke(5, "sales");
  grant({"sales.later", 1});
  EXPECT_FALSE(store_.orders().pending().revokes_due);
  apply(5, {});
  EXPECT_TRUE(store_.orders().pending().revokes_due);
  store_.orders().repeat_revokes(fence());
  EXPECT_THAT(grants(), ElementsAre("sales.later SELECT 1 "));
  EXPECT_FALSE(store_.orders().pending().revokes_due);
}

TEST_F(OrderStore, ARevokeIsRepeatedUntilNothingUpToItsEventIsToBeReadAgain) {
  follower::Batch batch;
  batch.cursor = 5;
  for (const int64_t event : {5, 6}) {
    processor::Claim claim;
    claim.event_id = event;
    claim.name = named("sales", "t" + std::to_string(event));
    batch.claims.push_back(claim);
  }
  ask_to_revoke(5, "sales");
  store_.events().apply(fence(), batch);
  EXPECT_TRUE(store_.orders().pending().revokes_due)
      << "at its event, whatever is to be read again";
  // What one reading moves to the name is taken away there, and another may follow.
  for (int reading = 0; reading < 2; ++reading) {
    grant({"sales.moved", 5});
    postgres_.side().execute("UPDATE grants SET granted_at = now() - interval '1 day'");
    store_.orders().repeat_revokes(fence());
    EXPECT_THAT(grants(), IsEmpty());
    EXPECT_THAT(postgres_.lines("SELECT state FROM requests"), ElementsAre("pending"));
  }
  EXPECT_FALSE(store_.orders().pending().revokes_due);
  postgres_.side().execute("DELETE FROM pending_re_reads WHERE event_id = 5");
  EXPECT_TRUE(store_.orders().pending().revokes_due);
  store_.orders().repeat_revokes(fence());
  EXPECT_THAT(postgres_.lines("SELECT state FROM requests"), ElementsAre("finished"));
}

TEST_F(OrderStore, AFencedRepetitionRevokesNothing) {
  apply(5, {});
  grant({"sales.moved", 1});
  ask_to_revoke(5, "sales");
  follower::Fence other = fence();
  other.token.nonce = "another";
  EXPECT_THROW(store_.orders().repeat_revokes(other), Error);
  EXPECT_THAT(grants(), ElementsAre("sales.moved SELECT 1 "));
  EXPECT_TRUE(store_.orders().pending().revokes_due);
}

}  // namespace

}  // namespace hmsync::store
