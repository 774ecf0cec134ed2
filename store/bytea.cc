#include "store/bytea.h"

namespace hmsync::store {

namespace {

int nibble(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

}  // namespace

std::string bytea(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\\x";
  text.reserve(2 + 2 * bytes.size());
  for (const char value : bytes) {
    const auto byte = static_cast<unsigned char>(value);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string bytes_of(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t at = 2; at + 1 < text.size(); at += 2) {
    bytes += static_cast<char>(nibble(text[at]) << 4 | nibble(text[at + 1]));
  }
  return bytes;
}

}  // namespace hmsync::store
