#include "tests/follower/event_messages.h"

#include <fmt/format.h>

namespace hmsync::doubles {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string text_field(int id, const std::string& text) {
  return fmt::format(R"("{}":{{"str":{}}})", id, quoted(text));
}

std::string location_field(const std::optional<processor::Location>& location) {
  if (!location) return R"("7":{"rec":{}})";
  return fmt::format(R"("7":{{"rec":{{{}}}}})", text_field(2, to_string(*location)));
}

std::string keys_field(const std::vector<std::string>& keys) {
  std::string list = fmt::format(R"("8":{{"lst":["rec",{})", keys.size());
  for (const std::string& key : keys) list += fmt::format(",{{{}}}", text_field(1, key));
  return list + "]}";
}

std::string table_object(const processor::Table& table) {
  const std::string created = table.identity.substr(table.identity.find(':') + 1);
  return fmt::format(R"({{{},{},{},"4":{{"i32":{}}},{},{},{},{}}})",
                     text_field(1, table.name.table), text_field(2, table.name.database),
                     text_field(3, table.owner.name), created, location_field(table.location),
                     keys_field(table.partition_keys), text_field(12, table.type),
                     text_field(17, table.name.catalog));
}

std::string partition_object(const processor::Table& table, const processor::Partition& partition) {
  std::string values = fmt::format(R"("1":{{"lst":["str",{})", partition.values.size());
  for (const std::string& value : partition.values) values += "," + quoted(value);
  std::string location;
  if (partition.location) location = text_field(2, to_string(*partition.location));
  return fmt::format(R"({{{}]}},{},{},"6":{{"rec":{{{}}}}}}})", values,
                     text_field(2, table.name.database), text_field(3, table.name.table), location);
}

std::string key_values(const processor::Table& table, const std::vector<std::string>& values) {
  std::string result = "{";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) result += ",";
    result += quoted(table.partition_keys[i]) + ":" + quoted(values[i]);
  }
  return result + "}";
}

std::string head(const processor::DatabaseName& name) {
  return fmt::format(R"({{"server":"","servicePrincipal":"","timestamp":1,"db":{})",
                     quoted(name.database));
}

std::string head(const processor::Table& table) {
  return fmt::format(R"({},"table":{},"tableType":{})", head(table.name.in_database()),
                     quoted(table.name.table), quoted(table.type));
}

}  // namespace

std::string create_database_message(const processor::Database& database) {
  std::string object = fmt::format("{{{}", text_field(1, database.name.database));
  if (database.location) object += "," + text_field(3, to_string(*database.location));
  object += fmt::format(R"(,{},"7":{{"i32":1}},{}}})", text_field(6, database.owner.name),
                        text_field(8, database.name.catalog));
  return fmt::format(R"({},"dbJson":{}}})", head(database.name), quoted(object));
}

std::string drop_database_message(const processor::DatabaseName& name) { return head(name) + "}"; }

std::string create_table_message(const processor::Table& table) {
  return fmt::format(R"({},"tableObjJson":{},"files":[]}})", head(table),
                     quoted(table_object(table)));
}

std::string drop_table_message(const processor::Table& table) {
  return fmt::format(R"({},"tableObjJson":{}}})", head(table), quoted(table_object(table)));
}

std::string alter_table_message(const processor::Table& before, const processor::Table& after) {
  return fmt::format(
      R"({},"isTruncateOp":"false","tableObjBeforeJson":{},"tableObjAfterJson":{}}})", head(before),
      quoted(table_object(before)), quoted(table_object(after)));
}

std::string add_partitions_message(const processor::Table& table,
                                   const std::vector<processor::Partition>& partitions) {
  std::string names;
  std::string objects;
  for (const processor::Partition& partition : partitions) {
    if (!names.empty()) {
      names += ",";
      objects += ",";
    }
    names += key_values(table, partition.values);
    objects += quoted(partition_object(table, partition));
  }
  return fmt::format(R"({},"tableObjJson":{},"partitions":[{}],"partitionListJson":[{}]}})",
                     head(table), quoted(table_object(table)), names, objects);
}

std::string drop_partition_message(const processor::Table& table,
                                   const std::vector<std::string>& values) {
  return fmt::format(R"({},"tableObjJson":{},"partitions":[{}]}})", head(table),
                     quoted(table_object(table)), key_values(table, values));
}

}  // namespace hmsync::doubles
