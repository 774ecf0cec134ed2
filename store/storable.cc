#include "store/storable.h"

#include <algorithm>

namespace hmsync::store {

namespace {

/// A metastore's names are at most 128 or 256 characters; a key of PostgreSQL's holds 2,704 bytes.
constexpr size_t kLongestNames = 2000;

/// How many bytes the UTF-8 character at `at` has; 0 where there is none that PostgreSQL takes.
size_t character_length(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(at + 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

}  // namespace

std::string storable(const std::string& text) {
  std::string clean;
  for (size_t at = 0; at < text.size();) {
    const size_t length = character_length(text, at);
    clean += length == 0 ? "\xEF\xBF\xBD" : text.substr(at, length);
    at += std::max<size_t>(length, 1);
  }
  return clean;
}

Parameter storable(const std::optional<std::string>& text) {
  return text ? Parameter{storable(*text)} : Parameter{};
}

bool is_storable_name(const processor::TableName& name) {
  const std::string all = name.catalog + name.database + name.table;
  return all.size() <= kLongestNames && storable(all) == all;
}

}  // namespace hmsync::store
