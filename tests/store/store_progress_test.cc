#include "store/store_progress.h"

#include <gtest/gtest.h>

#include "tests/store/own_database.h"

namespace hmsync::store {

namespace {

class StoreProgressTest : public testing::Test {
 protected:
  std::string progress() {
    const StoreProgress found = read_progress(connection_, "server1");
    return std::to_string(found.commit_number) + " " + std::to_string(found.generation) + " " +
           std::to_string(found.epoch) + " " + std::to_string(found.audit_id);
  }

  OwnDatabase database_;
  Connection connection_{database_.options()};
};

TEST_F(StoreProgressTest, TellsWhatTheFollowerAndTheAuditHaveComeTo) {
  EXPECT_EQ(progress(), "0 0 0 0") << "nobody has followed yet";
  connection_.execute(
      "INSERT INTO followers (server, commit_number, generation, token_epoch) VALUES "
      "('server1', 7, 2, 3), ('other', 100, 100, 100)");
  connection_.execute("INSERT INTO audit (server, who, action) VALUES ('server1', 'a', 'grant')");
  EXPECT_EQ(progress(), "7 2 3 1");
}

TEST_F(StoreProgressTest, ARewindThatSeveralReplicasFindIsAuditedOnce) {
  audit_rewind(connection_, "server1", {7, 2, 3, 9}, {5, 2, 3, 8}, 0.5);
  audit_rewind(connection_, "server1", {6, 2, 3, 9}, {5, 2, 3, 8}, 4);
  EXPECT_EQ(text_of(connection_.query("SELECT who, action, before, after FROM audit"), 4),
            "hmsyncd|rewind|"
            R"({"epoch": 3, "audit_id": 9, "generation": 2, "commit_number": 7}|)"
            R"({"epoch": 3, "audit_id": 8, "generation": 2, "commit_number": 5})"
            "\n");
  connection_.execute("UPDATE audit SET time = time - interval '1 hour'");
  audit_rewind(connection_, "server1", {5, 2, 3, 9}, {4, 2, 3, 8}, 1);
  EXPECT_EQ(connection_.query("SELECT count(*) FROM audit").integer(0, 0), 2) << "another one";
}

}  // namespace

}  // namespace hmsync::store
