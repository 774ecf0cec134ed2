#include "tests/processor/change_text.h"

namespace hmsync::processor {
namespace {

std::string join(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : separator) + parts[i];
  }
  return text;
}

std::string text_of(const DatabaseName& name) { return name.catalog + "." + name.database; }

std::string text_of(const TableName& name) {
  return name.catalog + "." + name.database + "." + name.table;
}

std::string text_of(const Owner& owner) { return owner.name + ":" + to_string(owner.type); }

std::string text_of(const std::optional<Location>& location) {
  return location ? to_string(*location) : "-";
}

std::string identity_of(const std::string& identity) { return identity.empty() ? "-" : identity; }

std::string text_of(const Database& database) {
  return "database " + text_of(database.name) + " " + text_of(database.owner) + " " +
         text_of(database.location) + " " + identity_of(database.identity);
}

std::string text_of(const Table& table) {
  return "table " + text_of(table.name) + " " + table.type + " " + text_of(table.owner) + " " +
         text_of(table.location) + " (" + join(table.columns, ",") + ") (" +
         join(table.partition_keys, ",") + ") " + identity_of(table.identity);
}

std::string text_of(const std::vector<std::string>& values) {
  return "[" + join(values, "|") + "]";
}

std::string text_of(const Partition& partition) {
  return "partition " + text_of(partition.values) + " " + text_of(partition.location);
}

struct Text {
  std::string operator()(const CreateDatabase& change) const {
    return "create " + text_of(change.database);
  }
  std::string operator()(const AlterDatabase& change) const {
    return "alter " + text_of(change.before) + " => " + text_of(change.after);
  }
  std::string operator()(const DropDatabase& change) const {
    return "drop database " + text_of(change.name);
  }
  std::string operator()(const CreateTable& change) const {
    return "create " + text_of(change.table);
  }
  std::string operator()(const AlterTable& change) const {
    return "alter " + text_of(change.before) + " => " + text_of(change.after) +
           (change.translated_to_external ? " translated" : "");
  }
  std::string operator()(const DropTable& change) const {
    return "drop table " + text_of(change.name) + " " + identity_of(change.identity);
  }
  std::string operator()(const AddPartitions& change) const {
    std::string text = "add to " + text_of(change.table);
    for (const Partition& partition : change.partitions) {
      text += "; " + text_of(partition);
    }
    return text;
  }
  std::string operator()(const DropPartitions& change) const {
    std::string text = "drop from " + text_of(change.table);
    for (const std::vector<std::string>& values : change.values) {
      text += "; " + text_of(values);
    }
    return text;
  }
  std::string operator()(const AlterPartition& change) const {
    return "alter in " + text_of(change.table) + "; " + text_of(change.before_values) + " => " +
           text_of(change.after);
  }
  std::string operator()(const AlterPartitions& change) const {
    std::string text = "alter in " + text_of(change.table);
    for (const Partition& partition : change.after) {
      text += "; => " + text_of(partition);
    }
    return text;
  }
  std::string operator()(const Ignored&) const { return "ignored"; }
};

}  // namespace

std::string to_text(const Change& change) { return std::visit(Text{}, change); }

}  // namespace hmsync::processor
