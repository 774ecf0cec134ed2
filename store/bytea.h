// PostgreSQL's text form of bytes.
#pragma once

#include <string>
#include <string_view>

namespace hmsync::store {

/// "\x" and two lower-case digits a byte.
std::string bytea(std::string_view bytes);
/// And back, of what PostgreSQL wrote with bytea_output = hex, its default.
std::string bytes_of(std::string_view text);

}  // namespace hmsync::store
