#include "tests/hmsclient/real_metastore_under_test.h"

#include <chrono>
#include <ctime>
#include <stdexcept>
#include <utility>
#include <variant>

#include "processor/error.h"
#include "tests/fixtures/eventually.h"
#include "tests/follower/metastore_effect.h"

namespace hmsync::hmsclient {

namespace {

using doubles::Generation;
namespace ddl = doubles::ddl;

std::string text(const std::optional<processor::Location>& location) {
  return location ? to_string(*location) : "";
}

std::vector<Column> columns(const std::vector<std::string>& names) {
  std::vector<Column> result;
  for (const std::string& name : names) result.push_back({name, "string"});
  return result;
}

std::vector<PartitionSpec> specs(const std::vector<processor::Partition>& partitions) {
  std::vector<PartitionSpec> result;
  for (const auto& each : partitions) result.push_back({each.values, text(each.location)});
  return result;
}

/// A change as calls of a client.
struct Calls {
  DdlClient& client;
  bool knows_transactional;

  processor::Table keys_of(const std::string& database, const std::string& name) const {
    processor::Table table;
    for (const Column& key : client.table(database, name).partition_keys) {
      table.partition_keys.push_back(key.name);
    }
    return table;
  }

  void operator()(const ddl::CreateDatabase& change) const {
    client.create_database(
        {.name = change.database, .owner = change.owner, .location = text(change.location)});
  }
  void operator()(const ddl::AlterDatabase& change) const {
    DatabaseChange asked{.name = change.name, .owner = change.owner};
    if (change.location) asked.location = text(change.location);
    client.alter_database(change.database, asked);
  }
  void operator()(const ddl::DropDatabase& change) const {
    client.drop_database(change.database, change.cascade);
  }
  void operator()(const ddl::CreateTable& change) const {
    TableSpec spec{.database = change.database,
                   .table = change.table,
                   .type = change.type,
                   .owner = change.owner,
                   .location = text(change.location),
                   .columns = columns(change.columns),
                   .partition_keys = columns(change.partition_keys)};
    if (change.type == "VIRTUAL_VIEW") spec.view_text = "select 1";
    const bool transactional = change.transactional && knows_transactional;
    client.create_table(transactional ? insert_only(std::move(spec)) : spec);
  }
  void operator()(const ddl::AlterTable& change) const {
    TableChange asked{
        .database = change.new_database, .table = change.new_table, .owner = change.owner};
    if (change.location) asked.location = text(change.location);
    if (change.columns) asked.columns = columns(*change.columns);
    client.alter_table(change.database, change.table, asked);
  }
  void operator()(const ddl::DropTable& change) const {
    client.drop_table(change.database, change.table);
  }
  void operator()(const ddl::AddPartitions& change) const {
    if (change.if_not_exists) throw std::logic_error("no client that tests have can ask for that");
    client.add_partitions(change.database, change.table, specs(change.partitions));
  }
  void operator()(const ddl::AlterPartitions& change) const {
    for (const PartitionSpec& each : specs(change.partitions)) {
      client.alter_partition(change.database, change.table, each);
    }
  }
  void operator()(const ddl::RenamePartition& change) const {
    client.rename_partition(change.database, change.table, change.from, change.to);
  }
  void operator()(const ddl::DropPartitions& change) const {
    if (change.if_exists) throw std::logic_error("no client that tests have can ask for that");
    const processor::Table table = keys_of(change.database, change.table);
    std::vector<std::string> names;
    for (const auto& values : change.values) {
      names.push_back(doubles::partition_folder(table, values));
    }
    client.drop_partitions(change.database, change.table, names);
  }
  void operator()(const ddl::ExchangePartition& change) const {
    const processor::Table table = keys_of(change.database, change.table);
    std::map<std::string, std::string> specification;
    for (size_t i = 0; i < change.values.size(); ++i) {
      specification[table.partition_keys.at(i)] = change.values[i];
    }
    client.exchange_partitions(specification, {change.database, change.table},
                               {change.new_database, change.new_table});
  }
  void operator()(const ddl::OtherEvent& change) const {
    if (change.type == "INSERT") {
      client.insert_event(change.database, change.table);
    } else if (change.type == "CREATE_FUNCTION") {
      client.create_function(change.database, change.table);
    } else if (change.type == "ADD_PRIMARYKEY") {
      client.add_primary_key(change.database, change.table, "id", change.table + "_key");
    } else {
      throw std::logic_error("no client that tests have can cause " + change.type);
    }
  }
};

const char* version_of(Generation generation) {
  switch (generation) {
    case Generation::v2_3:
      return "2.3.10";
    case Generation::v3_1:
      return "3.1.3";
    case Generation::v4_0:
      break;
  }
  return "4.0.1";
}

Options options_for(const fixtures::MiniHms& hms) {
  Options options;
  options.uris = {hms.uri()};
  options.user = "hmsync";
  return options;
}

}  // namespace

std::shared_ptr<fixtures::MiniHms> start_metastore(Generation generation,
                                                   fixtures::MiniHms::Options options) {
  options.version = version_of(generation);
  options.warehouse = "hdfs://nn1:8020/warehouse";
  return std::make_shared<fixtures::MiniHms>(std::move(options));
}

RealUnderTest::RealUnderTest(Generation generation, std::shared_ptr<fixtures::MiniHms> hms)
    : generation_(generation),
      hms_(std::move(hms)),
      ddl_(options_for(*hms_)),
      client_(options_for(*hms_)),
      objects_(options_for(*hms_)) {}

processor::Location RealUnderTest::warehouse() const {
  return *processor::normalize_location(hms_->warehouse());
}

bool RealUnderTest::run(const doubles::Change& change) {
  try {
    std::visit(Calls{ddl_, generation_ == Generation::v4_0}, change);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void RealUnderTest::let_a_second_pass() {
  const std::time_t now = std::time(nullptr);
  if (!fixtures::eventually(std::chrono::seconds(5), [&] { return std::time(nullptr) > now; })) {
    throw std::runtime_error("the clock stands still");
  }
}

}  // namespace hmsync::hmsclient
