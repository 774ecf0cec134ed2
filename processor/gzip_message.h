// Messages of format gzip(json-2.0), the default of 4.x: base64 around one gzip member.
#pragma once

#include <string>
#include <string_view>

namespace hmsync::processor {

/// The text inside. Throws Error(poison) for text that is not base64 (standard alphabet, padded,
/// no line breaks), a member that is damaged, cut short or followed by more, and as soon as it
/// unpacks to more than `limit` bytes.
std::string unpack_gzip_message(std::string_view message, size_t limit);

}  // namespace hmsync::processor
