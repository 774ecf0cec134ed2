#include "processor/thrift_objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "processor/stored_text.h"
#include "processor/thrift_json.h"

namespace hmsync::processor {
namespace {

std::string read_name(ThriftJson& reader, std::string_view what) {
  return stored_name(reader.read_string(), what);
}

std::optional<Location> read_location(ThriftJson& reader) {
  return normalize_location(stored_text(reader.read_string(), "the location"));
}

// Thrift's PrincipalType. A value that is not known is taken as the default, as if it were absent.
OwnerType read_owner_type(ThriftJson& reader) {
  switch (reader.read_integer()) {
    case 2:
      return OwnerType::role;
    case 3:
      return OwnerType::group;
    default:
      return OwnerType::user;
  }
}

std::string created(int64_t seconds) {
  return seconds > 0 ? fmt::format("created:{}", seconds) : std::string();
}

// list<FieldSchema>: 1 is the name.
std::vector<std::string> read_columns(ThriftJson& reader, std::string_view what) {
  std::vector<std::string> names;
  reader.read_list([&] {
    std::string name;
    reader.read_struct([&](int64_t id) {
      if (id == 1) {
        name = read_name(reader, what);
      } else {
        reader.skip();
      }
    });
    names.push_back(std::move(name));
  });
  return names;
}

void read_table_storage(ThriftJson& reader, Table& table) {
  reader.read_struct([&](int64_t id) {
    switch (id) {
      case 1:
        table.columns = read_columns(reader, "a column's name");
        break;
      case 2:
        table.location = read_location(reader);
        break;
      default:
        reader.skip();
    }
  });
}

bool is_true(std::string_view value) {
  constexpr std::string_view kTrue = "true";
  return value.size() == kTrue.size() &&
         std::equal(value.begin(), value.end(), kTrue.begin(),
                    [](char c, char expected) { return (c | 0x20) == expected; });
}

struct TableParameters {
  bool external = false;
  bool translated_to_external = false;
};

TableParameters read_table_parameters(ThriftJson& reader) {
  TableParameters parameters;
  reader.read_string_map([&](std::string_view key, std::string_view value) {
    if (key == "EXTERNAL") {
      parameters.external = is_true(value);
    } else if (key == "TRANSLATED_TO_EXTERNAL") {
      parameters.translated_to_external = is_true(value);
    }
  });
  return parameters;
}

// The metastore stores the type by the parameter EXTERNAL, whatever the client's object says, but
// writes the client's object to the event (ObjectStore and events of 2.3.10 and 3.1.3).
void correct_type(std::string& type, const TableParameters& parameters) {
  if (type == "MANAGED_TABLE" && parameters.external) {
    type = "EXTERNAL_TABLE";
  } else if (type == "EXTERNAL_TABLE" && !parameters.external) {
    type = "MANAGED_TABLE";
  }
}

}  // namespace

TableObject read_table(std::string_view tjson) {
  TableObject object;
  Table& table = object.table;
  table.name.catalog.clear();
  int64_t number = 0;
  int64_t created_at = 0;
  std::optional<TableParameters> parameters;
  ThriftJson reader(tjson);
  // Field 15 is left alone: rewriteEnabled (bool) in Hive, but ownerType in CDH.
  reader.read_struct([&](int64_t id) {
    switch (id) {
      case 1:
        table.name.table = read_name(reader, "the table's name");
        break;
      case 2:
        table.name.database = read_name(reader, "the database's name");
        break;
      case 3:
        table.owner.name = stored_text(reader.read_string(), "the owner");
        break;
      case 4:
        created_at = reader.read_integer();
        break;
      case 7:
        read_table_storage(reader, table);
        break;
      case 8:
        table.partition_keys = read_columns(reader, "a partition key's name");
        break;
      case 9:
        parameters = read_table_parameters(reader);
        break;
      case 12:
        table.type = stored_text(reader.read_string(), "the table's type");
        break;
      case 17:
        table.name.catalog = read_name(reader, "the catalog's name");
        break;
      case 18:
        table.owner.type = read_owner_type(reader);
        break;
      case 25:
        number = reader.read_integer();
        break;
      default:
        reader.skip();
    }
  });
  reader.finish();
  if (parameters) {
    correct_type(table.type, *parameters);
    object.translated_to_external = parameters->translated_to_external;
  }
  table.identity = number > 0 ? fmt::format("id:{}", number) : created(created_at);
  return object;
}

Partition read_partition(std::string_view tjson) {
  Partition partition;
  ThriftJson reader(tjson);
  reader.read_struct([&](int64_t id) {
    if (id == 1) {
      partition.values.clear();
      reader.read_list([&] {
        partition.values.push_back(stored_text(reader.read_string(), "a partition value"));
      });
    } else if (id == 6) {
      reader.read_struct([&](int64_t storage_id) {
        if (storage_id == 2) {
          partition.location = read_location(reader);
        } else {
          reader.skip();
        }
      });
    } else {
      reader.skip();
    }
  });
  reader.finish();
  return partition;
}

Database read_database(std::string_view tjson) {
  Database database;
  database.name.catalog.clear();
  ThriftJson reader(tjson);
  reader.read_struct([&](int64_t id) {
    switch (id) {
      case 1:
        database.name.database = read_name(reader, "the database's name");
        break;
      case 3:
        database.location = read_location(reader);
        break;
      case 6:
        database.owner.name = stored_text(reader.read_string(), "the owner");
        break;
      case 7:
        database.owner.type = read_owner_type(reader);
        break;
      case 8:
        database.name.catalog = read_name(reader, "the catalog's name");
        break;
      case 9:
        database.identity = created(reader.read_integer());
        break;
      default:
        reader.skip();
    }
  });
  reader.finish();
  return database;
}

}  // namespace hmsync::processor
