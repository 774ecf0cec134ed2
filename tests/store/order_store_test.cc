#include "store/order_store.h"

#include "tests/store/grants_fixture.h"

namespace hmsync::store {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class OrderStore : public GrantsFixture {
 protected:
  void ask_to_revoke(int64_t at_event, const std::string& database) {
    store_.side().query(R"(
INSERT INTO requests (server, kind, arguments, at_event, requested_by, requested_at)
VALUES ('server1', 'revoke',
        jsonb_build_object('role', 'analyst', 'action', 'SELECT', 'catalog', 'hive',
                           'database', $2::text, 'table', null, 'column', null, 'uri', null),
        $1, 'alice', clock_timestamp()))",
                        {std::to_string(at_event), database});
  }
};

TEST_F(OrderStore, TellsWhatBecameOfAResync) {
  follower::ResyncRequest asked;
  asked.requested_by = "alice";
  const int64_t id = store_.orders().ask_resync(asked);
  EXPECT_FALSE(store_.orders().request(id)->finished);
  follower::ResyncOutcome outcome{"done", "a \"reason\"", 12, 0.25, {}};
  outcome.difference.added = {1, 2, 3};
  outcome.difference.changed = {4, 5, 6};
  outcome.difference.removed = {7, 8, 9};
  outcome.difference.suspended_grants = 10;
  store_.orders().finish(fence(), id, outcome);
  const std::optional<RequestState> state = store_.orders().request(id);
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
  EXPECT_FALSE(store_.orders().request(id + 1).has_value());
}

TEST_F(OrderStore, EveryVerbOfPeopleIsAudited) {
  follower::ResyncRequest asked;
  asked.requested_by = "alice";
  asked.scope.database = processor::DatabaseName{processor::kDefaultCatalog, "sales"};
  store_.orders().ask_resync(asked);
  store_.orders().pause("bob", std::nullopt, "an upgrade");
  store_.orders().resume("carol");
  EXPECT_THAT(audit(), ElementsAre("alice resync sales", "bob pause ", "carol resume "));
}

TEST_F(OrderStore, APauseEndsByItselfOrByResume) {
  const follower::Pause pause =
      store_.orders().pause("alice", std::chrono::seconds(3600), "an upgrade");
  EXPECT_EQ(pause.until, pause.since + 3600);
  EXPECT_EQ(store_.orders().pending().pause->until, pause.until);
  EXPECT_EQ(store_.orders().resume("bob")->by, "alice");
  EXPECT_FALSE(store_.orders().resume("bob").has_value());
  EXPECT_FALSE(store_.orders().pending().pause.has_value());
  store_.orders().pause("alice", std::chrono::seconds(3600), "");
  store_.side().execute("UPDATE pauses SET until = now() - interval '1 second'");
  EXPECT_FALSE(store_.orders().pending().pause.has_value());
  EXPECT_FALSE(store_.orders().resume("bob").has_value());
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
