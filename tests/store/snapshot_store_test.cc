#include "store/snapshot_store.h"

#include <atomic>
#include <set>
#include <thread>

#include "tests/store/postgres_fixture.h"

namespace hmsync::store {

namespace {

using namespace processor;
using follower::Difference;
using follower::Publication;
using follower::SnapshotPage;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class SnapshotStore : public PostgresFixture {
 protected:
  std::string staged(const SnapshotPage& page) { return PostgresFixture::staged({}, page); }

  Difference publish(const SnapshotPage& page, const Publication& publication) {
    return store_.snapshots().publish(fence(), staged(page), publication).difference;
  }

  /// As after a snapshot at event 5.
  void start_with(const SnapshotPage& page) {
    Publication first;
    first.cursor = 5;
    publish(page, first);
  }

  static Publication broken_at(int64_t cursor) {
    Publication publication;
    publication.cursor = cursor;
    return publication;
  }
  static Publication unbroken_at(int64_t cursor) {
    Publication publication = broken_at(cursor);
    publication.unbroken = true;
    return publication;
  }

  template <typename Call>
  static std::string kind_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return to_string(error.kind());
    }
    return "nothing";
  }
};

SnapshotPage some() {
  SnapshotPage page;
  page.databases = {database("sales")};
  page.tables = {table("sales", "orders", "created:1"), table("sales", "bills", "created:2")};
  page.partitions = {{named("sales", "orders"),
                      {partition({"a"}, "/a"), {{"n"}, std::nullopt}, partition({"b"}, "/b")}}};
  return page;
}

TEST_F(SnapshotStore, WritesNoRowWhereNothingDiffers) {
  start_with(some());
  const std::string versions =
      "SELECT 'o' || object_id || ' ' || xmin FROM objects UNION ALL "
      "SELECT 'p' || object_id || partition_values::text || ' ' || xmin FROM paths";
  const std::vector<std::string> before = postgres_.lines(versions);
  ASSERT_EQ(before.size(), 9u);
  const Difference difference = publish(some(), unbroken_at(5));
  EXPECT_EQ(postgres_.lines(versions), before);
  EXPECT_EQ(difference.added.tables + difference.changed.tables + difference.removed.tables, 0);
  EXPECT_THAT(postgres_.lines("SELECT change FROM path_changes"), ElementsAre("image"));
}

TEST_F(SnapshotStore, WritesOnlyTheRowsThatDiffer) {
  start_with(some());
  const std::string versions =
      "SELECT object_id || partition_values::text || xmin FROM paths "
      "WHERE partition_values <> '{b}'";
  const std::vector<std::string> before = postgres_.lines(versions);
  SnapshotPage page = some();
  page.partitions[0].partitions[2] = partition({"b"}, "/moved");
  const Difference difference = publish(page, unbroken_at(5));
  EXPECT_EQ(difference.changed.partitions, 1);
  EXPECT_EQ(postgres_.lines(versions), before);
  EXPECT_THAT(postgres_.lines("SELECT change || path FROM path_changes WHERE path IS NOT NULL"),
              ElementsAre("added/moved", "removed/b"));
}

TEST_F(SnapshotStore, AnOwnLocationComesGoesAndChanges) {
  start_with(some());
  SnapshotPage page = some();
  page.tables[0].location = std::nullopt;
  page.tables[1].location = at("/elsewhere");
  EXPECT_EQ(publish(page, unbroken_at(5)).changed.tables, 2);
  EXPECT_THAT(postgres_.lines("SELECT \"table\" || coalesce(location, ' none') FROM v1_tables"),
              ElementsAre("billshdfs://nn/elsewhere", "orders none"));
  EXPECT_EQ(publish(some(), unbroken_at(5)).changed.tables, 2);
  EXPECT_THAT(postgres_.lines("SELECT location FROM v1_tables"),
              ElementsAre("hdfs://nn/w/sales.db/bills", "hdfs://nn/w/sales.db/orders"));
}

TEST_F(SnapshotStore, ReadersSeeTheStateBeforeOrAfterAndNeverWait) {
  start_with(some());
  SnapshotPage next;
  next.databases = {database("sales")};
  next.tables = {table("sales", "new1", "created:8"), table("sales", "new2", "created:9")};
  const std::string id = staged(next);
  std::atomic<bool> done = false;
  std::set<std::string> seen;
  std::thread reader([&] {
    Connection connection(postgres_.options());
    // Until it has seen what is after: every look comes back at once, or the statement time-out
    // fails the test.
    for (bool last = false; !last;) {
      last = done;
      const Result row =
          connection.query("SELECT string_agg(\"table\", ' ' ORDER BY \"table\") FROM v1_tables");
      seen.emplace(row.text(0, 0));
    }
  });
  store_.snapshots().publish(fence(), id, unbroken_at(5));
  done = true;
  reader.join();
  for (const std::string& tables : seen) {
    EXPECT_TRUE(tables == "bills orders" || tables == "new1 new2") << tables;
  }
  EXPECT_TRUE(seen.contains("new1 new2"));
}

TEST_F(SnapshotStore, ADiscardedOneIsLostAndLeavesNothing) {
  const std::string id = staged(some());
  const std::string other = staged(some());
  store_.snapshots().discard(id);
  EXPECT_EQ(kind_of([&] { store_.snapshots().add(id, {}); }), "transient");
  EXPECT_EQ(kind_of([&] {
              store_.snapshots().replay(id, {{1, RemoveTable{named("sales", "orders")}}});
            }),
            "transient");
  EXPECT_EQ(kind_of([&] { store_.snapshots().compare(id); }), "transient");
  EXPECT_EQ(kind_of([&] { store_.snapshots().publish(fence(), id, broken_at(1)); }), "transient");
  EXPECT_THAT(store_.objects(), IsEmpty());
  EXPECT_THAT(postgres_.lines("SELECT DISTINCT snapshot FROM staging_objects"), ElementsAre(other));
}

TEST_F(SnapshotStore, ANewLeaderDiscardsWhateverThisServersLastOneBegan) {
  staged(some());
  const std::string scoped =
      store_.snapshots().begin({{DatabaseName{kDefaultCatalog, "sales"}, "orders"}});
  postgres_.side().execute(
      "INSERT INTO staging_snapshots (snapshot, server) VALUES ('theirs', 'server2')");
  store_.snapshots().discard(std::nullopt);
  EXPECT_THAT(postgres_.lines("SELECT snapshot FROM staging_snapshots"), ElementsAre("theirs"));
  for (const char* rows : {"snapshot FROM staging_objects", "object_id::text FROM staging_paths",
                           "snapshot FROM staging_scopes", "snapshot FROM staging_re_reads"}) {
    EXPECT_THAT(postgres_.lines(std::string("SELECT ") + rows), IsEmpty()) << rows;
  }
}

TEST_F(SnapshotStore, PartitionsOfATableThatWasNotReadAreRefused) {
  const std::string id = store_.snapshots().begin({});
  SnapshotPage page;
  page.partitions = {{named("sales", "unknown"), {partition({"a"}, "/a")}}};
  EXPECT_EQ(kind_of([&] { store_.snapshots().add(id, page); }), "transient");
}

TEST_F(SnapshotStore, HostileTextsArriveUnchanged) {
  const std::string name = "o'\"\\{,}\t\r\n\\. \\N \xC3\xA4\xF0\x9F\x90\x9D";
  SnapshotPage page;
  page.databases = {database(name)};
  page.tables = {table(name, name)};
  page.partitions = {{named(name, name), {{{name, ""}, at("/" + name)}}}};
  start_with(page);
  EXPECT_EQ(postgres_.lines("SELECT database FROM v1_databases"), std::vector<std::string>{name});
  EXPECT_EQ(postgres_.lines("SELECT \"table\" FROM v1_tables"), std::vector<std::string>{name});
  EXPECT_EQ(postgres_.lines("SELECT values[1] FROM v1_partitions"), std::vector<std::string>{name});
  EXPECT_EQ(postgres_.lines("SELECT location FROM v1_partitions"),
            std::vector<std::string>{"hdfs://nn/" + name});
}

TEST_F(SnapshotStore, AReReadThatTheReplayAskedForIsPendingAfterTheSwitch) {
  apply(1, {{1, UpdateTable{table("sales", "old"), {}}}});
  const std::string id = staged(some());
  store_.snapshots().replay(
      id, {{6, PutPartitions{named("sales", "missing"), {partition({"a"}, "/a")}}}});
  store_.snapshots().publish(fence(), id, broken_at(6));
  EXPECT_THAT(postgres_.lines("SELECT table_name || event_id FROM pending_re_reads"),
              ElementsAre("missing6"));
}

}  // namespace

}  // namespace hmsync::store
