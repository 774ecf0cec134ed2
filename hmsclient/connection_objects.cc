#include "hmsclient/connection_objects.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hmsclient/metastore_calls.h"
#include "hmsclient/snapshot_work.h"
#include "processor/lower_case.h"

namespace hmsync::hmsclient {

using processor::lower_case;

namespace {

constexpr size_t kNamesAtOnce = 1000;

class ConnectionStream : public follower::SnapshotStream {
 public:
  ConnectionStream(Connection& connection, const std::vector<follower::Scope>& scopes)
      : connection_(connection), work_(scopes, sizes_) {}

  std::optional<follower::SnapshotPage> next() override {
    while (!work_.empty()) {
      UnitResult result = read_unit(connection_, work_.take(), sizes_);
      std::optional<follower::SnapshotPage> page = std::move(result.page);
      work_.add(std::move(result));
      if (page) {
        work_.handed_out(*page);
        return page;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] follower::SnapshotProgress progress() const override { return work_.progress(); }

 private:
  Connection& connection_;
  const PageSizes sizes_;
  SnapshotWork work_;
};

}  // namespace

std::unique_ptr<follower::SnapshotStream> ConnectionObjects::snapshot(
    const std::vector<follower::Scope>& scopes) {
  return std::make_unique<ConnectionStream>(connection_, scopes);
}

std::optional<processor::Database> ConnectionObjects::database(
    const processor::DatabaseName& name) {
  return read_database(connection_, {lower_case(name.catalog), lower_case(name.database)});
}

std::optional<processor::Table> ConnectionObjects::table(const processor::TableName& name) {
  return read_table(connection_,
                    {lower_case(name.catalog), lower_case(name.database), lower_case(name.table)});
}

int64_t ConnectionObjects::count_tables() {
  int64_t count = 0;
  for (const std::string& catalog : read_catalogs(connection_)) {
    NameSpool databases;
    read_database_names(connection_, lower_case(catalog),
                        [&](const std::string& name) { databases.add(name); });
    databases.finish();
    for (size_t begin = 0; begin < databases.size(); begin += kNamesAtOnce) {
      const size_t end = std::min(begin + kNamesAtOnce, databases.size());
      for (const std::string& database : databases.read(begin, end)) {
        read_table_names(connection_, {lower_case(catalog), lower_case(database)},
                         [&](const std::string&) { ++count; });
      }
    }
  }
  return count;
}

}  // namespace hmsync::hmsclient
