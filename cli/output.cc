#include "cli/output.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>

namespace hmsync::cli {
namespace {

constexpr size_t kRowsThatShape = 1000;
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kPlain = "\x1b[0m";

/// Plain decimals, where the library would write 1.5E0.
std::string number_text(double number) {
  std::string text(32, '\0');
  text.resize(static_cast<size_t>(std::snprintf(text.data(), text.size(), "%.10g", number)));
  return text;
}

}  // namespace

std::string visible(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      shown += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      shown += c;
    }
  }
  return shown;
}

size_t width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string cell(const boost::json::value& value) {
  if (value.is_null()) return "-";
  if (const auto* text = value.if_string()) return text->empty() ? "-" : visible(*text);
  if (const auto* flag = value.if_bool()) return *flag ? "yes" : "no";
  if (const auto* number = value.if_double()) return number_text(*number);
  if (const auto* list = value.if_array()) {
    std::string text;
    for (const auto& element : *list) text += (text.empty() ? "" : ",") + cell(element);
    return text.empty() ? "-" : text;
  }
  return visible(boost::json::serialize(value));
}

void print_pairs(const Output& output,
                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  size_t widest = 0;
  for (const auto& [name, value] : pairs) widest = std::max(widest, width(name));
  for (const auto& [name, value] : pairs) {
    output.out << (output.out_colour ? kBold : "") << name << (output.out_colour ? kPlain : "")
               << std::string(widest - width(name) + 2, ' ') << value << '\n';
  }
}

Table::Table(const Output& output) : output_(output) {}

Table::~Table() = default;

void Table::add(boost::json::object row) {
  if (started_) {
    print(row);
    return;
  }
  held_.push_back(std::move(row));
  if (held_.size() == kRowsThatShape) start();
}

void Table::finish() {
  if (!started_) start();
  output_.out.flush();
}

void Table::start() {
  started_ = true;
  if (held_.empty()) return;
  bool one_kind = true;
  for (const auto& row : held_) {
    const auto* kind = row.if_contains("kind");
    const auto* first_kind = held_.front().if_contains("kind");
    one_kind = one_kind && ((kind == nullptr && first_kind == nullptr) ||
                            (kind != nullptr && first_kind != nullptr && *kind == *first_kind));
    for (const auto& member : row) {
      const std::string name(member.key());
      if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) {
        columns_.push_back(name);
      }
    }
  }
  std::erase_if(columns_, [one_kind](const std::string& name) {
    return name == "server" || (name == "kind" && one_kind);
  });
  for (const std::string& column : columns_) {
    size_t widest = width(column);
    for (const auto& row : held_) {
      if (const auto* value = row.if_contains(column))
        widest = std::max(widest, width(cell(*value)));
    }
    widths_.push_back(widest);
  }
  print_cells(columns_, true);
  for (const auto& row : held_) print(row);
  held_.clear();
}

void Table::print(const boost::json::object& row) {
  std::vector<std::string> cells;
  for (const std::string& column : columns_) {
    const auto* value = row.if_contains(column);
    cells.push_back(value == nullptr ? "-" : cell(*value));
  }
  print_cells(cells, false);
}

void Table::print_cells(const std::vector<std::string>& cells, bool bold) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    line += cells[i];
    if (i + 1 == cells.size()) break;
    const size_t used = width(cells[i]);
    line += std::string((used < widths_[i] ? widths_[i] - used : 0) + 2, ' ');
  }
  if (bold && output_.out_colour) line = kBold + line + kPlain;
  output_.out << line << '\n';
}

}  // namespace hmsync::cli
