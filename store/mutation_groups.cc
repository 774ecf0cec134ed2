#include "store/mutation_groups.h"

#include <algorithm>
#include <map>

#include "processor/error.h"

namespace hmsync::store {

namespace {

using processor::DatabaseName;
using processor::TableName;

/// What one mutation touches: up to two tables, or a database's own row, or all of a database.
struct Touched {
  std::vector<TableName> names;  ///< table '': the database's own row
  bool whole_database = false;
};

Touched table(const TableName& name) {
  if (name.database.empty() || name.table.empty()) {
    throw Error(ErrorKind::poison, "an event names a table by an empty name");
  }
  return {{name}};
}

Touched database(const DatabaseName& name, bool whole) {
  if (name.database.empty()) {
    throw Error(ErrorKind::poison, "an event names a database by an empty name");
  }
  return {{{name.catalog, name.database, ""}}, whole};
}

struct Touches {
  Touched operator()(const processor::PutDatabase& put) const {
    return database(put.database.name, false);
  }
  Touched operator()(const processor::RemoveDatabase& remove) const {
    return database(remove.name, true);
  }
  Touched operator()(const processor::CreateTableRow& create) const {
    return table(create.table.name);
  }
  Touched operator()(const processor::UpdateTable& update) const {
    return table(update.table.name);
  }
  Touched operator()(const processor::RemoveTable& remove) const { return table(remove.name); }
  Touched operator()(const processor::RenameTable& rename) const {
    Touched touched = table(rename.from);
    touched.names.push_back(table(rename.to.name).names.front());
    return touched;
  }
  Touched operator()(const processor::PutPartitions& put) const { return table(put.table); }
  Touched operator()(const processor::RemovePartitions& remove) const {
    return table(remove.table);
  }
};

class Grouping {
 public:
  void add(const processor::Mutation& mutation) {
    const Touched touched = std::visit(Touches{}, mutation.operation);
    const int first = earliest(touched, mutation.operation);
    int at = first;
    const int size = static_cast<int>(groups_.size());
    while (at < size && groups_[at].kind() != mutation.operation.index()) ++at;
    if (at == size) groups_.emplace_back();
    groups_[at].mutations.push_back(&mutation);
    for (const auto& name : touched.names) {
      last_of_name_[name] = at;
      int& last = last_in_database_.try_emplace(name.in_database(), -1).first->second;
      last = std::max(last, at);
      if (touched.whole_database) last_whole_[name.in_database()] = at;
    }
  }

  std::vector<MutationGroup> take() { return std::move(groups_); }

 private:
  template <typename Map, typename Key>
  static int last(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? -1 : found->second;
  }

  /// The first group that may hold the mutation: behind everything that it depends on.
  int earliest(const Touched& touched, const processor::Operation& operation) const {
    const bool of_partitions = std::holds_alternative<processor::PutPartitions>(operation) ||
                               std::holds_alternative<processor::RemovePartitions>(operation);
    int after = -1;
    for (const auto& name : touched.names) {
      const int same = last(last_of_name_, name);
      const bool joins = of_partitions && same >= 0 && groups_[same].kind() == operation.index();
      after = std::max(after, joins ? same - 1 : same);
      after = std::max(after, last(last_whole_, name.in_database()));
      if (touched.whole_database) {
        after = std::max(after, last(last_in_database_, name.in_database()));
      }
    }
    return after + 1;
  }

  std::vector<MutationGroup> groups_;
  std::map<TableName, int> last_of_name_;
  std::map<DatabaseName, int> last_in_database_;
  std::map<DatabaseName, int> last_whole_;
};

}  // namespace

std::vector<MutationGroup> group_mutations(std::span<const processor::Mutation> mutations) {
  Grouping grouping;
  for (const auto& mutation : mutations) grouping.add(mutation);
  return grouping.take();
}

}  // namespace hmsync::store
