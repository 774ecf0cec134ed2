#include "processor/thrift_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "processor/error.h"

namespace hmsync::processor {
namespace {

bool is_white_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

[[noreturn]] void unfit(const std::string& reason) {
  throw Error(ErrorKind::poison, "Thrift object: " + reason);
}

uint32_t hex4(std::string_view raw, size_t at) {
  uint32_t value = 0;
  const size_t end = at + 4;
  if (end > raw.size()) {
    unfit("a \\u escape is cut short");
  }
  const auto [stop, error] = std::from_chars(raw.data() + at, raw.data() + end, value, 16);
  if (error != std::errc() || stop != raw.data() + end) {
    unfit("a \\u escape is not four hexadecimal digits");
  }
  return value;
}

void append_utf8(std::string& text, uint32_t code) {
  const auto continuation = [&](int shift) {
    text += static_cast<char>(0x80 | (code >> shift & 0x3f));
  };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | code >> 6);
    continuation(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | code >> 12);
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xf0 | code >> 18);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

// Appends the character whose `\u` is at `at`; returns where the text goes on.
size_t append_unicode_escape(std::string& text, std::string_view raw, size_t at) {
  uint32_t code = hex4(raw, at + 2);
  at += 6;
  if (code >= 0xd800 && code < 0xe000) {
    const bool pair = code < 0xdc00 && raw.substr(at, 2) == "\\u";
    const uint32_t low = pair ? hex4(raw, at + 2) : 0;
    if (low < 0xdc00 || low >= 0xe000) {
      unfit("half of a surrogate pair");
    }
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    at += 6;
  }
  append_utf8(text, code);
  return at;
}

char simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      unfit("an unknown escape in a string");
  }
}

// The reader has seen that a character follows each backslash.
std::string unescape(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  size_t at = 0;
  while (at < raw.size()) {
    const size_t backslash = std::min(raw.find('\\', at), raw.size());
    text += raw.substr(at, backslash - at);
    at = backslash;
    if (at == raw.size()) {
      break;
    }
    if (raw[at + 1] == 'u') {
      at = append_unicode_escape(text, raw, at);
    } else {
      text += simple_escape(raw[at + 1]);
      at += 2;
    }
  }
  return text;
}

bool is_scalar_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

int64_t to_integer(std::string_view token) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || stop != token.data() + token.size()) {
    unfit("an integer was expected");
  }
  return value;
}

}  // namespace

std::string ThriftJson::read_string() {
  require_tag("str");
  return unescape(raw_string());
}

int64_t ThriftJson::read_integer() {
  if (tag_ != "i32" && tag_ != "i64" && tag_ != "i16" && tag_ != "i8") {
    unfit("a field that should be an integer has another type");
  }
  return integer();
}

void ThriftJson::skip() {
  constexpr int kMaxDepth = 64;
  uint64_t lists = 0;  // one bit for each open level: 1 for a list, 0 for an object
  int depth = 0;
  do {
    const char c = peek();
    if (c == '"') {
      raw_string();
      continue;
    }
    if (c == '{' || c == '[') {
      if (depth == kMaxDepth) {
        unfit(fmt::format("nested deeper than {} levels", kMaxDepth));
      }
      lists = lists << 1 | (c == '[' ? 1U : 0U);
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0 || (lists & 1U) != (c == ']' ? 1U : 0U)) {
        unfit("brackets do not match");
      }
      lists >>= 1;
      --depth;
    } else if (depth == 0 || (c != ',' && c != ':')) {
      scalar();
      continue;
    }
    ++position_;
  } while (depth > 0);
}

void ThriftJson::finish() {
  skip_white_space();
  if (position_ < text_.size()) {
    unfit("text after its end");
  }
}

void ThriftJson::require_tag(std::string_view tag) const {
  if (tag_ != tag) {
    unfit(fmt::format("a field that should be of type '{}' has another", tag));
  }
}

void ThriftJson::require_count(int64_t count, int64_t found) {
  if (count != found) {
    unfit(fmt::format("a list or map says that it has {} elements and has {}", count, found));
  }
}

int64_t ThriftJson::begin_string_map() {
  require_tag("map");
  expect('[');
  const bool keys_are_strings = raw_string() == "str";
  expect(',');
  const bool values_are_strings = raw_string() == "str";
  if (!keys_are_strings || !values_are_strings) {
    unfit("a map of strings was expected");
  }
  expect(',');
  const int64_t count = integer();
  expect(',');
  expect('{');
  return count;
}

void ThriftJson::skip_white_space() {
  while (position_ < text_.size() && is_white_space(text_[position_])) {
    ++position_;
  }
}

char ThriftJson::peek() {
  skip_white_space();
  if (position_ >= text_.size()) {
    unfit("cut short");
  }
  return text_[position_];
}

void ThriftJson::expect(char c) {
  if (peek() != c) {
    unfit(fmt::format("'{}' expected at byte {}", c, position_));
  }
  ++position_;
}

bool ThriftJson::accept(char c) {
  const bool found = peek() == c;
  position_ += found ? 1 : 0;
  return found;
}

int64_t ThriftJson::field_id() { return to_integer(raw_string()); }

int64_t ThriftJson::integer() {
  peek();
  return to_integer(scalar());
}

std::string_view ThriftJson::raw_string() {
  expect('"');
  const size_t begin = position_;
  while (position_ < text_.size() && text_[position_] != '"') {
    position_ += text_[position_] == '\\' ? 2 : 1;
  }
  if (position_ >= text_.size()) {
    unfit("a string is cut short");
  }
  return text_.substr(begin, position_++ - begin);
}

std::string_view ThriftJson::scalar() {
  const size_t begin = position_;
  while (position_ < text_.size() && is_scalar_character(text_[position_])) {
    ++position_;
  }
  if (position_ == begin) {
    unfit(fmt::format("a value expected at byte {}", begin));
  }
  return text_.substr(begin, position_ - begin);
}

}  // namespace hmsync::processor
