// The SQL of mutations on objects and paths, the same for the live state and for a snapshot's
// staging. Statements take arrays: their number follows the groups, not the mutations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/connection.h"
#include "store/mutation_groups.h"

namespace hmsync::store {

/// Where mutations are applied.
struct Target {
  bool live = true;   ///< false: a snapshot's staging, without change log and grants
  std::string scope;  ///< the server, or the snapshot's id
  /// Of the transaction that is being made; for the change log.
  int64_t commit_number = 0;
};

/// Column by column, as the arrays that unnest() takes.
class Columns {
 public:
  explicit Columns(size_t count) : columns_(count) {}

  void add(std::vector<Parameter> row);
  [[nodiscard]] bool empty() const { return columns_.front().empty(); }
  /// $1 the scope, $2 the commit number, from $3 on the columns.
  [[nodiscard]] std::vector<Parameter> parameters(const Target& target) const;

 private:
  std::vector<std::vector<Parameter>> columns_;
};

/// Puts the target's names for @objects, @paths, @re_reads, @scope.
std::string for_target(std::string_view sql, const Target& target);

/// `input`, the CTE of RenameTable's rows, and its parameters: shared with the grants' SQL.
extern const char* const kRenameInput;
Columns rename_columns(const MutationGroup& group);

/// `input` of whole objects with event ids: RemoveTable and RemoveDatabase (table_name '').
extern const char* const kNameInput;
Columns name_columns(const MutationGroup& group);

/// `input` of objects: PutDatabase, CreateTableRow, UpdateTable.
extern const char* const kObjectInput;
Columns object_columns(const MutationGroup& group);

/// Objects, paths, pending re-reads and the path change log; never grants.
std::vector<Statement> object_statements(const Target& target, const MutationGroup& group);

/// The same for a group of RenameTable; after the statements on grants, which need the old names.
std::vector<Statement> rename_statements(const Target& target, const MutationGroup& group);

}  // namespace hmsync::store
