#include "cli/object_name.h"

#include <array>
#include <vector>

namespace hmsync::cli {
namespace {

constexpr const char* kForms =
    "an object is server, db, db.table, db.table.column or a URI; other names are told by "
    "--catalog, --database, --table, --column and --uri";

std::vector<std::string> split_dots(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<std::string> wrong_options(const ObjectOptions& o) {
  for (const auto& name : {o.catalog, o.database, o.table, o.column, o.uri}) {
    if (name && name->empty()) return "an empty name is no object";
  }
  if (o.uri && (o.catalog || o.database || o.table || o.column)) {
    return "--uri stands alone";
  }
  if (o.column && !o.table) return "--column needs --table";
  if (o.table && !o.database) return "--table needs --database";
  if (o.catalog && !o.database) return "--catalog needs --database";
  return std::nullopt;
}

}  // namespace

std::variant<ObjectName, std::string> parse_object(const std::string& text,
                                                   const ObjectOptions& options) {
  if (text.empty()) {
    if (const auto wrong = wrong_options(options)) return *wrong;
    // The widest object must not be what is meant by leaving something out.
    if (!options.database && !options.uri) return std::string("no object: ") + kForms;
    return options;
  }
  if (options.database || options.table || options.column || options.uri) {
    return std::string("the object is told twice, as OBJECT and by options");
  }
  ObjectName name;
  name.catalog = options.catalog;
  const bool is_uri = text.front() == '/' || text.find(":/") != std::string::npos;
  if (name.catalog && (text == "server" || is_uri)) {
    return std::string("--catalog goes with a database only");
  }
  if (text == "server") return name;
  if (is_uri) {
    name.uri = text;
    return name;
  }
  const std::vector<std::string> parts = split_dots(text);
  if (parts.size() > 3) return "\"" + text + "\" has too many dots: " + kForms;
  const std::array fields = {&name.database, &name.table, &name.column};
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) return "\"" + text + "\" has an empty part: " + kForms;
    *fields[i] = parts[i];
  }
  return name;
}

}  // namespace hmsync::cli
