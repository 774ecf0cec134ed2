// Random changes on a real metastore and on its double: the same are refused, the same events come
// of them, and the same objects are there in the end.
#include <cstdlib>
#include <random>
#include <set>

#include "tests/hmsclient/metastore_contract.h"
#include "tests/processor/change_text.h"

namespace hmsync::hmsclient {

namespace {

using namespace doubles;
using processor::Location;

class RandomChanges {
 public:
  RandomChanges(const ObjectMap& objects, uint32_t seed) : objects_(objects), random_(seed) {}

  Change next() {
    if (below(12) == 0) return of_database();
    const ddl::CreateTable create = creation();
    const auto found = objects_.tables.find({"hive", create.database, create.table});
    if (found == objects_.tables.end() || below(15) == 0) return create;
    return of_table(found->second);
  }

 private:
  uint32_t below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }
  std::string database() { return "m_d" + std::to_string(below(2)); }
  std::string table() { return "t" + std::to_string(below(4)); }
  std::string value() { return std::to_string(below(3)); }
  Location place() { return {"hdfs", "nn1:8020", "/m/" + std::to_string(below(5))}; }

  Change of_database() {
    const std::string name = database();
    if (!objects_.databases.contains({"hive", name})) return ddl::CreateDatabase{.database = name};
    switch (below(6)) {
      case 0:
        return ddl::DropDatabase{.database = name, .cascade = true};
      case 1:
        return ddl::DropDatabase{.database = name};
      case 2:
        return ddl::AlterDatabase{.database = name, .location = place()};
      case 3:
        return ddl::AlterDatabase{.database = name, .name = "m_other"};
      case 4:
        return ddl::AlterDatabase{.database = name, .owner = {{"carol"}}, .location = place()};
      default:
        return ddl::AlterDatabase{.database = name, .owner = {{"dave"}}};
    }
  }

  ddl::CreateTable creation() {
    ddl::CreateTable create{.database = database(),
                            .table = table(),
                            .partition_keys = {"dt"},
                            .columns = {"id", "name"}};
    switch (below(4)) {
      case 0:
        create.type = "EXTERNAL_TABLE";
        create.location = place();
        break;
      case 1:
        create.type = "VIRTUAL_VIEW";
        create.partition_keys.clear();
        break;
      case 2:
        create.location = place();
        break;
      default:
        create.transactional = below(2) == 0;
        break;
    }
    return create;
  }

  Change of_table(const StoredTable& stored) {
    const auto& [catalog, database_name, name] = stored.table.name;
    switch (below(stored.table.type == "VIRTUAL_VIEW" ? 3 : 12)) {
      case 0:
        return ddl::DropTable{database_name, name};
      case 1:
        return ddl::AlterTable{
            .database = database_name, .table = name, .owner = {{"owner" + value()}}};
      case 2:
        return ddl::AlterTable{.database = database_name,
                               .table = name,
                               .new_database = database(),
                               .new_table = table()};
      case 3:
        return ddl::AlterTable{.database = database_name, .table = name, .location = place()};
      case 4:
        return ddl::AlterTable{.database = database_name,
                               .table = name,
                               .columns = {{"id", "name", "more" + value()}}};
      case 5:
        return ddl::AlterPartitions{database_name, name, {{{value()}, place()}}};
      case 6:
        return ddl::RenamePartition{database_name, name, {value()}, {value()}};
      case 7:
        return ddl::DropPartitions{database_name, name, {{value()}}};
      case 8:
        return ddl::AddPartitions{database_name, name, {{{value()}, place()}}};
      default:
        return ddl::AddPartitions{database_name, name, {{{value()}, {}}, {{"9" + value()}, {}}}};
    }
  }

  const ObjectMap& objects_;
  std::mt19937 random_;
};

std::vector<std::string> events_after(follower::NotificationLog& log, int64_t after,
                                      const Location& warehouse) {
  std::vector<std::string> texts;
  for (const processor::Event& event : log.events({.after = after}).events) {
    texts.push_back(event.type + ": " + anonymous(to_text(processor::decode(event)), warehouse));
  }
  return texts;
}

/// Of these databases, as text without identities.
std::set<std::string> texts_of(const ObjectMap& objects, const Location& warehouse) {
  std::set<std::string> texts;
  for (const auto& [name, database] : objects.databases) {
    texts.insert(anonymous(to_text(processor::CreateDatabase{database}), warehouse));
  }
  for (const auto& [name, stored] : objects.tables) {
    std::vector<processor::Partition> partitions;
    for (const auto& [values, location] : stored.partitions)
      partitions.push_back({values, location});
    texts.insert(anonymous(to_text(processor::CreateTable{stored.table}), warehouse));
    texts.insert(anonymous(to_text(processor::AddPartitions{name, partitions}), warehouse));
  }
  return texts;
}

TEST_P(MetastoreContract, AMetastoreAndItsDoubleDoTheSame) {
  MemoryMetastore memory(metastore_->generation());
  memory.warehouse = metastore_->warehouse();
  // Of other seeds, and more changes, by hand.
  const char* asked = std::getenv("HMSYNC_MIRROR_SEED");
  RandomChanges changes(memory.objects(), asked == nullptr ? 5 : std::stoul(asked));
  const int count = asked == nullptr ? 30 : 200;
  for (int i = 0; i < count && !HasFailure(); ++i) {
    const Change change = changes.next();
    const int64_t memory_head = memory.now();
    const int64_t head = log_.head();
    const int begun = memory.begin(change);
    if (begun != MemoryMetastore::kRefused) memory.commit(begun);
    EXPECT_EQ(metastore_->run(change), begun != MemoryMetastore::kRefused) << change.index();
    EXPECT_THAT(
        events_after(log_, head, memory.warehouse),
        testing::UnorderedElementsAreArray(events_after(memory, memory_head, memory.warehouse)));
    if (i % 5 != 4) continue;
    EXPECT_THAT(texts_of(read_all(objects_, {whole("m_d0"), whole("m_d1")}), memory.warehouse),
                testing::ElementsAreArray(texts_of(memory.objects(), memory.warehouse)))
        << "change " << i << ", kind " << change.index() << ", "
        << (memory.history().empty() ? "" : memory.history().back().kind);
  }
}

}  // namespace

}  // namespace hmsync::hmsclient
