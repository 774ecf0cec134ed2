// What is printed: JSON as it came for programs; aligned columns for people, with colour only on a
// terminal.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hmsync::cli {

/// Where output goes and how it may look.
struct Output {
  std::ostream& out;
  std::ostream& err;
  bool json = false;
  bool out_colour = false;    ///< standard output is a terminal, and NO_COLOR is not set
  bool err_terminal = false;  ///< progress may be drawn over itself
};

/// A JSON value as a cell: null as "-", texts bare, control characters made visible.
std::string cell(const boost::json::value& value);
/// Control characters as \xNN, so that a name cannot play with the terminal.
std::string visible(std::string_view text);
/// In characters, for alignment.
size_t width(std::string_view text);

/// Name and value a line, the values aligned.
void print_pairs(const Output& output,
                 const std::vector<std::pair<std::string, std::string>>& pairs);

/// Rows of JSON objects. Columns are the members of the first rows in their order, without those
/// that are the same for all and say nothing (server, kind). Widths come from the first rows too,
/// so that a list of any length needs little memory.
class Table {
 public:
  explicit Table(const Output& output);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void add(boost::json::object row);
  /// Prints what is held back; nothing at all for no rows.
  void finish();

 private:
  void start();
  void print(const boost::json::object& row);
  void print_cells(const std::vector<std::string>& cells, bool bold);

  const Output& output_;
  std::vector<boost::json::object> held_;
  std::vector<std::string> columns_;
  std::vector<size_t> widths_;
  bool started_ = false;
};

}  // namespace hmsync::cli
