#include "tests/follower/event_messages.h"

#include <fmt/format.h>
#include <zlib.h>

#include <stdexcept>
#include <string_view>

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

std::string columns_field(int id, const std::vector<std::string>& columns) {
  std::string list = fmt::format(R"("{}":{{"lst":["rec",{})", id, columns.size());
  for (const std::string& column : columns) {
    list += fmt::format(R"(,{{{},"2":{{"str":"string"}}}})", text_field(1, column));
  }
  return list + "]}";
}

std::string storage_field(const processor::Table& table) {
  std::string fields = columns_field(1, table.columns);
  if (table.location) fields += "," + text_field(2, to_string(*table.location));
  return fmt::format(R"("7":{{"rec":{{{}}}}})", fields);
}

std::string parameters_field(const processor::Table& table, const MessageStyle& style) {
  std::vector<std::string> set;
  if (table.type == "EXTERNAL_TABLE") set.emplace_back(R"("EXTERNAL":"TRUE")");
  if (style.translated_to_external) set.emplace_back(R"("TRANSLATED_TO_EXTERNAL":"TRUE")");
  return fmt::format(R"("9":{{"map":["str","str",{},{{{}}}]}})", set.size(), fmt::join(set, ","));
}

/// Thrift's PrincipalType.
int owner_type(const processor::Owner& owner) {
  switch (owner.type) {
    case processor::OwnerType::role:
      return 2;
    case processor::OwnerType::group:
      return 3;
    case processor::OwnerType::user:
      break;
  }
  return 1;
}

std::string number_in(const std::string& identity) {
  return identity.substr(identity.find(':') + 1);
}

std::string table_object(const processor::Table& table, const MessageStyle& style) {
  const bool numbered = table.identity.starts_with("id:");
  std::string object =
      fmt::format(R"({{{},{},{},"4":{{"i32":{}}},{},{},{},{})", text_field(1, table.name.table),
                  text_field(2, table.name.database), text_field(3, table.owner.name),
                  numbered ? std::to_string(style.seconds) : number_in(table.identity),
                  storage_field(table), columns_field(8, table.partition_keys),
                  parameters_field(table, style), text_field(12, table.type));
  if (style.generation != Generation::v2_3) {
    object += fmt::format(R"(,{},"18":{{"i32":{}}})", text_field(17, table.name.catalog),
                          owner_type(table.owner));
  }
  if (numbered) object += fmt::format(R"(,"25":{{"i64":{}}})", number_in(table.identity));
  return object + "}";
}

std::string database_object(const processor::Database& database) {
  std::string object = fmt::format("{{{}", text_field(1, database.name.database));
  if (database.location) object += "," + text_field(3, to_string(*database.location));
  object += fmt::format(R"(,{},"7":{{"i32":{}}},{})", text_field(6, database.owner.name),
                        owner_type(database.owner), text_field(8, database.name.catalog));
  if (!database.identity.empty()) {
    object += fmt::format(R"(,"9":{{"i32":{}}})", number_in(database.identity));
  }
  return object + "}";
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

std::string head(const processor::DatabaseName& name, const MessageStyle& style) {
  return fmt::format(R"({{"server":"","servicePrincipal":"","timestamp":{},"db":{})", style.seconds,
                     quoted(name.database));
}

std::string head(const processor::Table& table, const MessageStyle& style) {
  std::string result = fmt::format(R"({},"table":{})", head(table.name.in_database(), style),
                                   quoted(table.name.table));
  if (style.generation != Generation::v2_3) result += ",\"tableType\":" + quoted(table.type);
  return result;
}

std::string head_with_object(const processor::Table& table, const MessageStyle& style) {
  return fmt::format(R"({},"tableObjJson":{})", head(table, style),
                     quoted(table_object(table, style)));
}

std::string truncate_flag(const MessageStyle& style) {
  return style.generation == Generation::v2_3 ? "" : R"(,"isTruncateOp":"false")";
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < group.size() ? static_cast<uint8_t>(group[j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += j <= group.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

}  // namespace

std::string create_database_message(const processor::Database& database,
                                    const MessageStyle& style) {
  std::string message = head(database.name, style);
  if (style.generation != Generation::v2_3) {
    message += ",\"dbJson\":" + quoted(database_object(database));
  }
  return message + "}";
}

std::string alter_database_message(const processor::Database& before,
                                   const processor::Database& after, const MessageStyle& style) {
  return fmt::format(R"({},"dbObjBeforeJson":{},"dbObjAfterJson":{}}})", head(before.name, style),
                     quoted(database_object(before)), quoted(database_object(after)));
}

std::string drop_database_message(const processor::DatabaseName& name, const MessageStyle& style) {
  return head(name, style) + "}";
}

std::string create_table_message(const processor::Table& table, const MessageStyle& style) {
  return head_with_object(table, style) + R"(,"files":[]})";
}

std::string drop_table_message(const processor::Table& table, const MessageStyle& style) {
  const bool names_only = style.generation == Generation::v2_3;
  return (names_only ? head(table, style) : head_with_object(table, style)) + "}";
}

std::string alter_table_message(const processor::Table& before, const processor::Table& after,
                                const MessageStyle& style) {
  return fmt::format(R"({}{},"tableObjBeforeJson":{},"tableObjAfterJson":{}}})",
                     head(before, style), truncate_flag(style), quoted(table_object(before, style)),
                     quoted(table_object(after, style)));
}

std::string add_partitions_message(const processor::Table& table,
                                   const std::vector<processor::Partition>& partitions,
                                   const MessageStyle& style) {
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
  return fmt::format(R"({},"partitions":[{}],"partitionListJson":[{}]}})",
                     head_with_object(table, style), names, objects);
}

std::string alter_partition_message(const processor::Table& table,
                                    const processor::Partition& before,
                                    const processor::Partition& after, const MessageStyle& style) {
  return fmt::format(
      R"({}{},"keyValues":{},"partitionObjBeforeJson":{},"partitionObjAfterJson":{}}})",
      head_with_object(table, style), truncate_flag(style), key_values(table, before.values),
      quoted(partition_object(table, before)), quoted(partition_object(table, after)));
}

std::string drop_partitions_message(const processor::Table& table,
                                    const std::vector<std::vector<std::string>>& values,
                                    const MessageStyle& style) {
  std::string names;
  for (const std::vector<std::string>& each : values) {
    if (!names.empty()) names += ",";
    names += key_values(table, each);
  }
  return fmt::format(R"({},"partitions":[{}]}})", head_with_object(table, style), names);
}

std::string packed_message(const std::string& json) {
  constexpr int kGzip = 16;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::runtime_error("zlib cannot pack a message");
  }
  std::string packed(deflateBound(&stream, json.size()), '\0');
  std::string input = json;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib could not pack a message");
  return base64(packed);
}

}  // namespace hmsync::doubles
