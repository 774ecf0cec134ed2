#include "processor/gzip_message.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>

#include "processor/error.h"

namespace hmsync::processor {
namespace {

[[noreturn]] void damaged(const std::string& reason) { throw Error(ErrorKind::poison, reason); }

constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> base64_digits() {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return digits;
}

std::string decode_base64(std::string_view text) {
  static constexpr std::array<uint8_t, 256> kDigits = base64_digits();
  if (text.size() % 4 != 0) {
    damaged("the gzip message is cut short: its base64 text is not a multiple of 4 long");
  }
  for (int i = 0; i < 2 && text.ends_with('='); ++i) {
    text.remove_suffix(1);
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const uint8_t digit = kDigits[static_cast<uint8_t>(c)];
    if (digit == kNoDigit) {
      damaged("the gzip message is not base64");
    }
    bits = bits << 6 | digit;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  return bytes;
}

class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::string run(std::string& packed, size_t limit) {
    if (packed.size() > std::numeric_limits<uInt>::max()) {
      damaged("the gzip message is larger than 4 GiB");
    }
    stream_.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream_.avail_in = static_cast<uInt>(packed.size());
    std::string text;
    int status = Z_OK;
    while (status == Z_OK) {
      status = inflate_some(text);
      if (text.size() > limit) {
        damaged(fmt::format("the gzip message unpacks to more than {} bytes", limit));
      }
    }
    if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    }
    if (status == Z_BUF_ERROR) {
      damaged("the gzip message is cut short");
    }
    if (status != Z_STREAM_END) {
      damaged("the gzip message is damaged");
    }
    if (stream_.avail_in != 0) {
      damaged("the gzip message has bytes after its end");
    }
    return text;
  }

 private:
  int inflate_some(std::string& text) {
    constexpr size_t kLeast = size_t{16} << 10;
    constexpr size_t kMost = size_t{16} << 20;
    const size_t before = text.size();
    const size_t room = std::clamp(before, kLeast, kMost);
    text.resize(before + room);
    stream_.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    text.resize(before + room - stream_.avail_out);
    return status;
  }

  z_stream stream_{};
};

}  // namespace

std::string unpack_gzip_message(std::string_view message, size_t limit) {
  std::string packed = decode_base64(message);
  return Inflater().run(packed, limit);
}

}  // namespace hmsync::processor
