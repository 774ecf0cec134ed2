// The gzip layer of 4.x: text as it came, damaged members in sound base64, and what was packed
// here.
#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>

#include "processor/error.h"
#include "processor/gzip_message.h"
#include "tests/fuzz/holds.h"

namespace hmsync::fuzz {
namespace {

constexpr size_t kLimit = size_t{1} << 20;
constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(const std::string& bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = i; j < i + 3; ++j) {
      group = group << 8 | (j < bytes.size() ? static_cast<uint8_t>(bytes[j]) : 0);
    }
    for (size_t j = 0; j < 4; ++j) {
      const bool there = i + j <= bytes.size();
      text += there ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

std::string packed(const std::string& text) {
  z_stream stream{};
  holds(deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib begins");
  std::string member(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(member.data());
  stream.avail_out = static_cast<uInt>(member.size());
  holds(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib packs");
  member.resize(stream.total_out);
  deflateEnd(&stream);
  return member;
}

std::optional<std::string> unpacked(const std::string& text, size_t limit) {
  try {
    std::string inside = processor::unpack_gzip_message(text, limit);
    holds(inside.size() <= limit, "no more is unpacked than is allowed");
    return inside;
  } catch (const Error& error) {
    holds(error.kind() == ErrorKind::poison, "a member that is refused is poison");
    return std::nullopt;
  }
}

}  // namespace
}  // namespace hmsync::fuzz

// The first byte tells what the others are.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hmsync::fuzz;
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'm':  // a gzip member
      unpacked(base64(rest), kLimit);
      break;
    case 't': {  // a text
      const std::string message = base64(packed(rest));
      holds(unpacked(message, rest.size()) == rest, "what was packed is unpacked");
      holds(rest.empty() || !unpacked(message, rest.size() - 1), "a limit is kept");
      holds(!unpacked(message + message, kLimit), "what follows a member is refused");
      break;
    }
    default:
      unpacked(rest, kLimit);
  }
  return 0;
}
