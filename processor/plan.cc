#include <algorithm>
#include <string_view>
#include <utility>

#include "processor/mutation.h"

namespace hmsync::processor {
namespace {

// An empty list is one that the event does not tell (a table whose columns its SerDe knows), and
// nothing follows from it.
std::vector<std::string> vanished_columns(const Table& before, const Table& after) {
  std::vector<std::string> vanished;
  if (after.columns.empty()) {
    return vanished;
  }
  for (const std::string& column : before.columns) {
    if (std::find(after.columns.begin(), after.columns.end(), column) == after.columns.end()) {
      vanished.push_back(column);
    }
  }
  return vanished;
}

std::string_view last_segment(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // without a slash npos + 1, which is 0
}

// A rename moves the directory of a table that is no view and not external (or only translated to
// external by 4.x), unless the client gave another location in the same call. The event does not
// tell these two apart, but the metastore always names the new directory after the table, in lower
// case (HiveAlterHandler of 2.3, 3.1, 4.0). With a location of the client's, partitions stay.
std::optional<PathRewrite> moved_partitions(const AlterTable& change) {
  const Table& before = change.before;
  const Table& after = change.after;
  const bool may_move = before.type != "VIRTUAL_VIEW" &&
                        (before.type != "EXTERNAL_TABLE" || change.translated_to_external);
  if (!may_move || !before.location || !after.location ||
      before.location->path == after.location->path ||
      last_segment(after.location->path) != after.name.table) {
    return std::nullopt;
  }
  return PathRewrite{before.location->path, after.location->path};
}

class Planner {
 public:
  explicit Planner(int64_t event_id) : event_id_(event_id) {}

  void operator()(const CreateDatabase& change) { add(PutDatabase{change.database}); }
  void operator()(const AlterDatabase& change) { add(PutDatabase{change.after}); }
  void operator()(const DropDatabase& change) { add(RemoveDatabase{change.name}); }
  void operator()(const CreateTable& change) { add(CreateTableRow{change.table}); }
  void operator()(const AlterTable& change) {
    std::vector<std::string> vanished = vanished_columns(change.before, change.after);
    if (change.before.name == change.after.name) {
      add(UpdateTable{change.after, std::move(vanished)});
    } else {
      add(RenameTable{change.before.name, change.after, moved_partitions(change),
                      std::move(vanished)});
    }
  }
  void operator()(const DropTable& change) { add(RemoveTable{change.name}); }
  void operator()(const AddPartitions& change) { put(change.table, change.partitions); }
  void operator()(const DropPartitions& change) {
    if (!change.values.empty()) {
      add(RemovePartitions{change.table, change.values});
    }
  }
  void operator()(const AlterPartition& change) {
    if (change.before_values != change.after.values) {
      add(RemovePartitions{change.table, {change.before_values}});
    }
    put(change.table, {change.after});
  }
  void operator()(const AlterPartitions& change) { put(change.table, change.after); }
  void operator()(const Ignored&) {}

  std::vector<Mutation> take() { return std::move(mutations_); }

 private:
  void add(Operation operation) { mutations_.push_back({event_id_, std::move(operation)}); }
  void put(const TableName& table, const std::vector<Partition>& partitions) {
    if (!partitions.empty()) {
      add(PutPartitions{table, partitions});
    }
  }

  int64_t event_id_;
  std::vector<Mutation> mutations_;
};

}  // namespace

std::vector<Mutation> plan(int64_t event_id, const Change& change) {
  Planner planner(event_id);
  std::visit(planner, change);
  return planner.take();
}

}  // namespace hmsync::processor
