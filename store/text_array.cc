#include <charconv>

#include "store/connection.h"

namespace hmsync::store {

namespace {

void append_quoted(std::string& text, std::string_view element) {
  text += '"';
  for (const char c : element) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  text += '"';
}

template <typename Elements, typename Append>
std::string array_of(const Elements& elements, const Append& append) {
  std::string text = "{";
  for (const auto& element : elements) {
    if (text.size() > 1) text += ',';
    append(text, element);
  }
  text += '}';
  return text;
}

}  // namespace

std::string text_array(std::span<const std::string> elements) {
  return array_of(elements, append_quoted);
}

std::string text_array(std::span<const std::optional<std::string>> elements) {
  return array_of(elements, [](std::string& text, const std::optional<std::string>& element) {
    element ? append_quoted(text, *element) : static_cast<void>(text += "NULL");
  });
}

std::string text_array(std::span<const int64_t> elements) {
  return array_of(elements,
                  [](std::string& text, int64_t element) { text += std::to_string(element); });
}

std::vector<std::string> parse_text_array(std::string_view text) {
  std::vector<std::string> elements;
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') {
    throw Error(ErrorKind::fatal, "not the text of a PostgreSQL array: " + std::string(text));
  }
  const size_t end = text.size() - 1;
  for (size_t at = 1; at < end; ++at) {
    std::string element;
    const bool quoted = text[at] == '"';
    if (quoted) ++at;
    while (at < end && text[at] != (quoted ? '"' : ',')) {
      if (text[at] == '\\' && at + 1 < end) ++at;
      element += text[at++];
    }
    if (quoted) ++at;
    elements.push_back(!quoted && element == "NULL" ? std::string{} : std::move(element));
  }
  return elements;
}

int64_t Result::integer(int row, int column) const {
  const std::string_view digits = text(row, column);
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc{} || end != digits.data() + digits.size()) {
    throw Error(ErrorKind::fatal, "the database returned \"" + std::string(digits) +
                                      "\" where a whole number was expected");
  }
  return value;
}

int64_t Result::written() const {
  const std::string_view tag = PQcmdStatus(result_.get());
  for (const std::string_view command : {"INSERT", "UPDATE", "DELETE", "COPY"}) {
    if (tag.starts_with(command)) return affected();
  }
  const char* column = PQfname(result_.get(), 0);
  const bool told = column != nullptr && std::string_view(column) == "rows_written";
  return told && rows() > 0 ? integer(0, 0) : 0;
}

int64_t Result::affected() const {
  const std::string_view digits = PQcmdTuples(result_.get());
  int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

}  // namespace hmsync::store
