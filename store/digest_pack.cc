#include "store/digest_pack.h"

#include "processor/error.h"

namespace hmsync::store {

namespace {

constexpr size_t kIdBytes = 8;
constexpr size_t kHashBytes = std::tuple_size_v<decltype(processor::EventDigest::hash)>;
constexpr size_t kCharacters = 2 * (kIdBytes + kHashBytes);

void put(std::string& text, unsigned byte) {
  static constexpr char kDigits[] = "0123456789abcdef";
  text += kDigits[byte >> 4];
  text += kDigits[byte & 15];
}

unsigned digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  throw Error(ErrorKind::fatal, "event_digests holds what hmsync did not write");
}

unsigned byte_at(std::string_view text, size_t at) {
  return digit(text[at]) << 4 | digit(text[at + 1]);
}

}  // namespace

std::string pack_digests(const std::vector<processor::EventDigest>& digests) {
  std::string text = "\\x";
  text.reserve(2 + kCharacters * digests.size());
  for (const processor::EventDigest& digest : digests) {
    const auto id = static_cast<uint64_t>(digest.id);
    for (size_t i = 0; i < kIdBytes; ++i) put(text, (id >> (8 * (kIdBytes - 1 - i))) & 0xFF);
    for (const std::byte byte : digest.hash) put(text, std::to_integer<unsigned>(byte));
  }
  return text;
}

std::vector<processor::EventDigest> unpack_digests(std::string_view bytea) {
  if (!bytea.starts_with("\\x") || (bytea.size() - 2) % kCharacters != 0) {
    throw Error(ErrorKind::fatal, "event_digests holds what hmsync did not write");
  }
  std::vector<processor::EventDigest> digests;
  for (size_t at = 2; at < bytea.size(); at += kCharacters) {
    processor::EventDigest digest;
    uint64_t id = 0;
    for (size_t i = 0; i < kIdBytes; ++i) id = id << 8 | byte_at(bytea, at + 2 * i);
    digest.id = static_cast<int64_t>(id);
    for (size_t i = 0; i < kHashBytes; ++i) {
      digest.hash[i] = static_cast<std::byte>(byte_at(bytea, at + 2 * (kIdBytes + i)));
    }
    digests.push_back(digest);
  }
  return digests;
}

}  // namespace hmsync::store
