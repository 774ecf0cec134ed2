// Every change of a grant by a person writes its audit row and its row of the change log in the
// same statement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hmsync::store {

/// A row of `grants`, called `g`, of a role called `r`, as the audit shows it (jsonb).
std::string grant_json(std::string_view g, std::string_view r);

/// What a statement does to rows of `grants`.
struct GrantChange {
  /// INSERT INTO, UPDATE or DELETE FROM grants AS g, without RETURNING. Its parameters begin at $3.
  std::string statement;
  std::string change;  ///< permission_changes.change
  std::string action;  ///< audit.action
  /// SQL for the audit's before and after, where `line` is the row as the statement leaves it (or
  /// removed it).
  std::string before = "NULL";
  std::string after = "line";
};

/// One statement that makes the change and writes both rows for each row of it; answers one row
/// with the number of rows. $1 is who, $2 the event (null: none).
std::string logged(const GrantChange& change);

}  // namespace hmsync::store
