// What a metastore does whose listener is plain: it tells of operations before it is known that
// they succeed.
#include "tests/hmsclient/metastore_contract.h"

namespace hmsync::hmsclient {

namespace {

using namespace doubles;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(PlainListenerContract, ItSaysSo) { EXPECT_TRUE(log_.plain_listener()); }

TEST_P(PlainListenerContract, WhatIsRefusedMayLeaveAnEvent) {
  run(ddl::CreateDatabase{.database = "p_full"});
  run(ddl::CreateTable{
      .database = "p_full", .table = "t", .partition_keys = {"dt"}, .columns = {"id"}});
  run(ddl::CreateTable{.database = "p_full", .table = "u", .columns = {"id"}});
  run(ddl::AddPartitions{"p_full", "t", {{{"1"}, {}}}});
  new_events();
  const ObjectMap before = read_all(objects_, {whole("p_full")});
  const auto events_of_refused = [&](const Change& change) {
    EXPECT_FALSE(metastore_->run(change));
    return new_changes();
  };
  EXPECT_THAT(events_of_refused(ddl::DropDatabase{.database = "p_full"}),
              ElementsAre("drop database hive.p_full"));
  EXPECT_THAT(events_of_refused(ddl::CreateTable{
                  .database = "p_full", .table = "t", .owner = {"carol"}, .columns = {"other"}}),
              ElementsAre("create table hive.p_full.t MANAGED_TABLE carol:USER - (other) () #"));
  EXPECT_THAT(
      events_of_refused(ddl::CreateTable{.database = "p_missing", .table = "t", .columns = {"id"}}),
      ElementsAre("create table hive.p_missing.t MANAGED_TABLE bob:USER - (id) () #"));
  EXPECT_THAT(events_of_refused(ddl::CreateDatabase{.database = "p_full"}), IsEmpty());
  EXPECT_THAT(events_of_refused(ddl::DropDatabase{.database = "p_missing"}), IsEmpty());
  EXPECT_THAT(events_of_refused(ddl::DropTable{"p_full", "missing"}), IsEmpty());
  EXPECT_THAT(
      events_of_refused(ddl::AlterTable{.database = "p_full", .table = "u", .new_table = "t"}),
      IsEmpty());
  EXPECT_THAT(events_of_refused(ddl::AddPartitions{"p_full", "t", {{{"1"}, {}}}}),
              ElementsAre("add to hive.p_full.t; partition [1] -"));
  EXPECT_THAT(events_of_refused(ddl::DropPartitions{"p_full", "t", {{"missing"}}}), IsEmpty());
  EXPECT_THAT(events_of_refused(ddl::RenamePartition{"p_full", "t", {"missing"}, {"2"}}),
              IsEmpty());
  EXPECT_EQ(read_all(objects_, {whole("p_full")}), before);
}

TEST_P(PlainListenerContract, WhatIsDoneLeavesItsEventAsElsewhere) {
  run(ddl::CreateDatabase{.database = "p_done"});
  run(ddl::CreateTable{.database = "p_done", .table = "t", .columns = {"id"}});
  run(ddl::AlterTable{.database = "p_done", .table = "t", .new_table = "u"});
  run(ddl::DropTable{"p_done", "u"});
  const std::string row = " MANAGED_TABLE bob:USER WH/p_done.db/";
  EXPECT_THAT(new_changes(),
              ElementsAre("create database hive.p_done alice:USER WH/p_done.db -",
                          "create table hive.p_done.t" + row + "t (id) () #",
                          "alter table hive.p_done.t" + row + "t (id) () # => table hive.p_done.u" +
                              row + "u (id) () #",
                          dropped("p_done.u")));
}

}  // namespace

}  // namespace hmsync::hmsclient
