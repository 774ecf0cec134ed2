#include "processor/message_decoder.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <initializer_list>
#include <new>
#include <string_view>
#include <utility>

#include "processor/error.h"
#include "processor/stored_text.h"
#include "processor/thrift_objects.h"

namespace hmsync::processor {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

[[noreturn]] void fail(const std::string& reason) { throw Error(ErrorKind::poison, reason); }

// One message, parsed, and the header that completes it.
class Message {
 public:
  Message(const Event& event, const std::string& json) : event_(event) {
    element document;
    const simdjson::error_code error = parser_.parse(json).get(document);
    if (error == simdjson::MEMALLOC) {
      throw std::bad_alloc();
    }
    if (error != simdjson::SUCCESS) {
      fail(fmt::format("the message is not valid JSON ({})", simdjson::error_message(error)));
    }
    if (document.get(root_) != simdjson::SUCCESS) {
      fail("the message is not a JSON object");
    }
  }

  /// Nothing where the key is absent or null.
  [[nodiscard]] std::optional<std::string_view> text(const char* key) const {
    return get<std::string_view>(key, "a string");
  }
  [[nodiscard]] std::optional<array> list(const char* key) const {
    return get<array>(key, "a list");
  }
  [[nodiscard]] std::string_view required_text(const char* key) const {
    const std::optional<std::string_view> found = text(key);
    if (!found) {
      fail(fmt::format("the message has no '{}'", key));
    }
    return *found;
  }

  /// Each part from the object; else from the message, whose names are those before the change;
  /// else from the event's header.
  [[nodiscard]] TableName table_name(TableName name = {"", "", ""}) const {
    complete(name.catalog, {header(event_.catalog), kDefaultCatalog}, "a catalog");
    complete(name.database, {text_or_empty("db"), header(event_.database)}, "a database");
    complete(name.table, {text_or_empty("table"), header(event_.table)}, "a table");
    return name;
  }
  /// ALTER_TABLE: the header, not the message, has the names after the change.
  [[nodiscard]] TableName table_name_after(TableName name) const {
    complete(name.catalog, {header(event_.catalog), kDefaultCatalog}, "a catalog");
    complete(name.database, {header(event_.database), text_or_empty("db")}, "a database");
    complete(name.table, {header(event_.table), text_or_empty("table")}, "a table");
    return name;
  }
  [[nodiscard]] DatabaseName database_name(DatabaseName name = {"", ""}) const {
    complete(name.catalog, {header(event_.catalog), kDefaultCatalog}, "a catalog");
    complete(name.database, {text_or_empty("db"), header(event_.database)}, "a database");
    return name;
  }

 private:
  template <typename Value>
  std::optional<Value> get(const char* key, const char* kind) const {
    element found;
    if (root_.at_key(key).get(found) != simdjson::SUCCESS || found.is_null()) {
      return std::nullopt;
    }
    Value value;
    if (found.get(value) != simdjson::SUCCESS) {
      fail(fmt::format("'{}' in the message is not {}", key, kind));
    }
    return value;
  }

  [[nodiscard]] std::string_view text_or_empty(const char* key) const {
    return text(key).value_or("");
  }
  static std::string_view header(const std::optional<std::string>& name) {
    return name ? std::string_view(*name) : "";
  }
  static void complete(std::string& name, std::initializer_list<std::string_view> candidates,
                       const char* what) {
    for (const std::string_view candidate : candidates) {
      if (!name.empty()) {
        return;
      }
      name = stored_name(candidate, "a name in the message or the event's header");
    }
    if (name.empty()) {
      fail(fmt::format("neither the message nor the event's header names {}", what));
    }
  }

  const Event& event_;
  simdjson::dom::parser parser_;
  object root_;
};

TableObject table_object(const Message& message, const char* key) {
  TableObject object = read_table(message.required_text(key));
  if (object.table.type.empty()) {
    object.table.type = stored_text(message.text("tableType").value_or(""), "the table's type");
  }
  return object;
}

void check_values(const std::vector<std::string>& values, const std::optional<Table>& table) {
  if (values.empty()) {
    fail("a partition has no values");
  }
  // The keys are unknown (empty) where the object was left out.
  if (table && !table->partition_keys.empty() && table->partition_keys.size() != values.size()) {
    fail(fmt::format("a partition has {} values and its table {} partition keys", values.size(),
                     table->partition_keys.size()));
  }
}

/// 2.3 tells of a drop only names.
std::optional<Table> optional_table(const Message& message) {
  const std::optional<std::string_view> text = message.text("tableObjJson");
  return text ? std::optional(read_table(*text).table) : std::nullopt;
}

TableName name_of(const Message& message, const std::optional<Table>& table) {
  return table ? message.table_name(table->name) : message.table_name();
}

// Both lists may be absent or empty (add if not exists, where all exist); but partitions that are
// named without an object would be lost in silence.
std::vector<Partition> listed_partitions(const Message& message,
                                         const std::optional<Table>& table) {
  std::vector<Partition> partitions;
  if (const std::optional<array> list = message.list("partitionListJson")) {
    partitions.reserve(list->size());
    for (const element item : *list) {
      std::string_view text;
      if (item.get(text) != simdjson::SUCCESS) {
        fail("an element of 'partitionListJson' is not a string");
      }
      partitions.push_back(read_partition(text));
      check_values(partitions.back().values, table);
    }
  }
  const std::optional<array> names = message.list("partitions");
  if (partitions.empty() && names && names->size() > 0) {
    fail("the message names partitions and has no objects of them ('partitionListJson')");
  }
  return partitions;
}

// {"key": "value", ...} in the order of the table's keys, which are compared without case.
std::vector<std::string> ordered_values(const element& item, const Table& table) {
  object pairs;
  if (item.get(pairs) != simdjson::SUCCESS) {
    fail("an element of 'partitions' is not an object");
  }
  const auto refuse = [] { fail("a partition's keys are not those of its table"); };
  if (pairs.size() != table.partition_keys.size() || table.partition_keys.empty()) {
    refuse();
  }
  std::vector<std::optional<std::string>> values(table.partition_keys.size());
  for (const auto [key, value] : pairs) {
    const std::string name = stored_name(key, "a partition key's name");
    size_t index = 0;
    while (index < values.size() && (values[index] || table.partition_keys[index] != name)) {
      ++index;
    }
    std::string_view text;
    if (index == values.size() || value.get(text) != simdjson::SUCCESS) {
      refuse();
    }
    values[index] = stored_text(text, "a partition value");
  }
  std::vector<std::string> ordered;
  ordered.reserve(values.size());
  for (std::optional<std::string>& value : values) {
    ordered.push_back(std::move(*value));
  }
  return ordered;
}

Change create_database(const Message& message) {
  const std::optional<std::string_view> text = message.text("dbJson");
  if (!text) {
    Database database;
    database.name = message.database_name();
    return CreateDatabase{std::move(database)};
  }
  Database database = read_database(*text);
  database.name = message.database_name(std::move(database.name));
  return CreateDatabase{std::move(database)};
}

// Of an alteration only the object before comes from the metastore's database; the one after is as
// the client sent it. Recorded alterations of 2.3.10, 3.1.3 and 4.0.1 keep creation time and id,
// and a 3.1.3 keeps the stored creation time where a client sends another one, so both are those
// from before.
Change alter_database(const Message& message) {
  AlterDatabase change{read_database(message.required_text("dbObjBeforeJson")),
                       read_database(message.required_text("dbObjAfterJson"))};
  change.before.name = message.database_name(std::move(change.before.name));
  change.after.name = change.before.name;
  change.after.identity = change.before.identity;
  return change;
}

Change drop_database(const Message& message) { return DropDatabase{message.database_name()}; }

Change create_table(const Message& message) {
  Table table = table_object(message, "tableObjJson").table;
  table.name = message.table_name(std::move(table.name));
  return CreateTable{std::move(table)};
}

Change alter_table(const Message& message) {
  TableObject before = table_object(message, "tableObjBeforeJson");
  TableObject after = table_object(message, "tableObjAfterJson");
  AlterTable change;
  change.before = std::move(before.table);
  change.before.name = message.table_name(std::move(change.before.name));
  change.after = std::move(after.table);
  change.after.name = message.table_name_after(std::move(change.after.name));
  change.after.identity = change.before.identity;
  change.translated_to_external = before.translated_to_external;
  return change;
}

// For a drop its name is enough: an object in it that cannot be read only tells less.
std::string dropped_identity(const Message& message) try {
  const std::optional<Table> table = optional_table(message);
  return table ? table->identity : "";
} catch (const Error&) {
  return "";
}

Change drop_table(const Message& message) {
  return DropTable{message.table_name(), dropped_identity(message)};
}

Change add_partition(const Message& message) {
  const std::optional<Table> table = optional_table(message);
  return AddPartitions{name_of(message, table), listed_partitions(message, table)};
}

Change drop_partition(const Message& message) {
  const Table table = read_table(message.required_text("tableObjJson")).table;
  const std::optional<array> list = message.list("partitions");
  if (!list) {
    fail("the message has no 'partitions'");
  }
  DropPartitions change{message.table_name(table.name), {}};
  change.values.reserve(list->size());
  for (const element item : *list) {
    change.values.push_back(ordered_values(item, table));
  }
  return change;
}

Change alter_partition(const Message& message) {
  const std::optional<Table> table = optional_table(message);
  Partition before = read_partition(message.required_text("partitionObjBeforeJson"));
  Partition after = read_partition(message.required_text("partitionObjAfterJson"));
  check_values(before.values, table);
  check_values(after.values, table);
  return AlterPartition{name_of(message, table), std::move(before.values), std::move(after)};
}

Change alter_partitions(const Message& message) {
  const std::optional<Table> table = optional_table(message);
  return AlterPartitions{name_of(message, table), listed_partitions(message, table)};
}

struct Reader {
  std::string_view type;
  Change (*decode)(const Message&);
};

constexpr Reader kReaders[] = {
    {"CREATE_DATABASE", create_database}, {"ALTER_DATABASE", alter_database},
    {"DROP_DATABASE", drop_database},     {"CREATE_TABLE", create_table},
    {"ALTER_TABLE", alter_table},         {"DROP_TABLE", drop_table},
    {"ADD_PARTITION", add_partition},     {"DROP_PARTITION", drop_partition},
    {"ALTER_PARTITION", alter_partition}, {"ALTER_PARTITIONS", alter_partitions},
};

const Reader* find_reader(std::string_view type) {
  for (const Reader& reader : kReaders) {
    if (reader.type == type) {
      return &reader;
    }
  }
  return nullptr;
}

}  // namespace

bool is_read(const std::string& type) { return find_reader(type) != nullptr; }

Change decode_message(const Event& event, const std::string& json) {
  const Reader* reader = find_reader(event.type);
  return reader == nullptr ? Change(Ignored{}) : reader->decode(Message(event, json));
}

}  // namespace hmsync::processor
