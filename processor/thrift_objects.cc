#include "processor/thrift_objects.h"

#include <fmt/format.h>

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

bool read_translated_to_external(ThriftJson& reader) {
  bool translated = false;
  reader.read_string_map([&](std::string_view key, std::string_view value) {
    if (key == "TRANSLATED_TO_EXTERNAL") {
      translated = value == "TRUE" || value == "true";
    }
  });
  return translated;
}

}  // namespace

TableObject read_table(std::string_view tjson) {
  TableObject object;
  Table& table = object.table;
  table.name.catalog.clear();
  int64_t number = 0;
  int64_t created_at = 0;
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
        object.translated_to_external = read_translated_to_external(reader);
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
