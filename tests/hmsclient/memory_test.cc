// How much memory reading takes. The fake metastore is in the same process, so it makes its answers
// piece by piece: what is measured is the reader's memory and a little more.
#include <gmock/gmock.h>
#include <malloc.h>

#include <fstream>
#include <iomanip>
#include <sstream>

#include "hmsclient/notification_reader.h"
#include "hmsclient/snapshot_reader.h"
#include "processor/digest.h"
#include "tests/fixtures/fake_hms.h"

namespace hmsync::hmsclient {
namespace {

using fixtures::FakeHms;

constexpr int64_t kPartitions = 300000;
constexpr size_t kNameBytes = 200;

int64_t kilobytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) {
      return std::stoll(line.substr(field.size() + 1));
    }
  }
  ADD_FAILURE() << "no " << field;
  return 0;
}

/// The most memory that the process has had above what it has now.
class Growth {
 public:
  Growth() {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
    before_ = kilobytes("VmRSS");
    EXPECT_LT(kilobytes("VmHWM"), before_ + 1024) << "the kernel did not forget the old peak";
  }
  [[nodiscard]] int64_t megabytes() const { return (kilobytes("VmHWM") - before_) >> 10; }

 private:
  int64_t before_ = 0;
};

Options options_for(const FakeHms& hms) {
  Options options;
  options.uris = {hms.uri()};
  options.call_timeout = std::chrono::milliseconds(60000);
  return options;
}

class ALargeTable : public testing::TestWithParam<FakeHms::Version> {
 protected:
  ALargeTable() : hms_(GetParam()) {
    processor::Database database;
    database.name = {"hive", "sales"};
    hms_.put(database);
    large_.name = {"hive", "sales", "large"};
    large_.type = "MANAGED_TABLE";
    large_.location = processor::Location{"hdfs", "nn:8020", "/warehouse/sales.db/large"};
    large_.partition_keys = {"k"};
    hms_.put(large_);
    hms_.generate(large_.name, kPartitions, value);
    hms_.forget_asked();
  }

  /// "k=" and this are a name.
  static std::string value(int64_t index) {
    std::ostringstream text;
    text << std::setfill('0') << std::setw(kNameBytes - 2) << index;
    return text.str();
  }

  /// The partitions, counted; each must come once.
  static void expect_all(follower::SnapshotStream& stream) {
    std::vector<bool> seen(kPartitions);
    int64_t count = 0;
    while (const auto page = stream.next()) {
      for (const follower::TablePartitions& table : page->partitions) {
        for (const processor::Partition& partition : table.partitions) {
          const auto index = static_cast<size_t>(std::stoll(partition.values.at(0)));
          EXPECT_FALSE(seen.at(index));
          seen[index] = true;
          ++count;
        }
      }
    }
    EXPECT_EQ(count, kPartitions);
  }

  FakeHms hms_;
  processor::Table large_;
};

TEST_P(ALargeTable, IsReadInASnapshotWithinBoundedMemory) {
  SnapshotReader reader(options_for(hms_));
  const Growth growth;
  expect_all(*reader.snapshot({}));
  const int64_t megabytes = growth.megabytes();
  std::cout << "peak growth: " << megabytes << " MiB for " << kPartitions << " names of "
            << kNameBytes << " bytes\n";
  EXPECT_LT(megabytes, 30) << "the names alone are 57 MiB";
}

TEST_P(ALargeTable, IsReadAloneWithinBoundedMemory) {
  SnapshotReader reader(options_for(hms_));
  const Growth growth;
  expect_all(*reader.snapshot({{.database = {{"hive", "sales"}}, .table = "large"}}));
  const int64_t megabytes = growth.megabytes();
  std::cout << "peak growth: " << megabytes << " MiB for one table\n";
  EXPECT_LT(megabytes, 30);
}

INSTANTIATE_TEST_SUITE_P(SnapshotReader, ALargeTable,
                         testing::Values(FakeHms::Version::v3_1, FakeHms::Version::v4_0),
                         [](const auto& version) {
                           return version.param == FakeHms::Version::v3_1 ? "v3_1" : "v4_0";
                         });

TEST(NotificationReader, MessagesAboveTheLimitAreReadThroughWithinBoundedMemory) {
  FakeHms hms;
  std::vector<processor::Event> events;
  for (int64_t id = 1; id <= 40; ++id) {
    processor::Event& event = events.emplace_back();
    event.id = id;
    event.type = "ADD_PARTITION";
    event.message = std::string(2 << 20, static_cast<char>('a' + id % 26));
  }
  const processor::EventDigest last = processor::digest(events.back());
  hms.set_events(std::move(events));
  Options options = options_for(hms);
  options.max_message = 1 << 20;
  Client client(options);
  NotificationReader reader(client);
  const Growth growth;
  const follower::EventPage page = reader.events({});
  const int64_t megabytes = growth.megabytes();
  std::cout << "peak growth: " << megabytes << " MiB for 40 messages of 2 MiB\n";
  EXPECT_LT(megabytes, 10);
  ASSERT_EQ(page.events.size(), 40U) << "withheld messages do not fill a page";
  EXPECT_FALSE(page.cut);
  for (const processor::Event& event : page.events) {
    EXPECT_EQ(event.message, "");
    ASSERT_TRUE(event.withheld);
    EXPECT_EQ(event.withheld->bytes, 2 << 20);
  }
  EXPECT_EQ(processor::digest(page.events.back()), last);
  EXPECT_EQ(hms.connections(), 1);
}

}  // namespace
}  // namespace hmsync::hmsclient
