#include "tests/fuzz/stored_objects.h"

#include <algorithm>

#include "processor/stored_text.h"
#include "tests/fuzz/holds.h"

namespace hmsync::fuzz {
namespace {

void check_text(const std::string& text) {
  // Throws otherwise.
  holds(processor::stored_text(text, "a text") == text, "a text can be stored");
}

}  // namespace

void check_name(const std::string& name) {
  check_text(name);
  holds(std::none_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; }),
        "a name is in lower case");
}

void check(const processor::DatabaseName& name) {
  holds(!name.catalog.empty() && !name.database.empty(), "a database's name is whole");
  check_name(name.catalog);
  check_name(name.database);
}

void check(const processor::TableName& name) {
  check(name.in_database());
  holds(!name.table.empty(), "a table's name is whole");
  check_name(name.table);
}

void check(const std::optional<processor::Location>& location) {
  if (!location) return;
  const std::string text = to_string(*location);
  check_text(text);
  holds(processor::normalize_location(text) == location, "a location is in its normal form");
}

void check(const processor::Database& database) {
  check(database.name);
  check_text(database.owner.name);
  check(database.location);
}

void check(const processor::Table& table) {
  check(table.name);
  check_text(table.owner.name);
  check_text(table.type);
  check(table.location);
  for (const auto& names : {table.columns, table.partition_keys}) {
    for (const std::string& name : names) check_name(name);
  }
}

void check(const processor::Partition& partition) {
  for (const std::string& value : partition.values) check_text(value);
  check(partition.location);
}

}  // namespace hmsync::fuzz
