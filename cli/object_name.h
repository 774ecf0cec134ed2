// What a privilege is on, as it is written on the command line.
#pragma once

#include <optional>
#include <string>
#include <variant>

namespace hmsync::cli {

/// Nothing set: the server.
struct ObjectName {
  std::optional<std::string> catalog = {}, database = {}, table = {}, column = {}, uri = {};
};

/// By the options, for names that the short form cannot carry.
using ObjectOptions = ObjectName;

/// `text` is `server`, db, db.table, db.table.column or a URI (with ":/" in it or "/" in front);
/// empty: the options tell. An std::string in the answer says what is wrong.
std::variant<ObjectName, std::string> parse_object(const std::string& text,
                                                   const ObjectOptions& options);

}  // namespace hmsync::cli
