// Where an object's data lies, normalised once, at the door, and compared as bytes from then on.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace hmsync::processor {

/// The parts of a location as Hadoop's Path would write them: scheme in lower case, authority
/// untouched, repeated slashes, `.` and `..` resolved, no slash at the end (except a root's own),
/// no percent-decoding. Without a scheme it stays without.
struct Location {
  std::string scheme;     ///< empty where the location has none
  std::string authority;  ///< empty where the location has none
  std::string path;       ///< begins with `/` (but for a relative location without scheme)

  auto operator<=>(const Location&) const = default;
};

/// Nothing for an empty text. Never throws: every text that is not empty has a normal form.
/// Rename messages of 2.3.10, 3.1.3 and 4.0.1 carry `file:/x`; clients also send `file:///x`.
std::optional<Location> normalize_location(std::string_view text);

/// `scheme://authority/path`, or `scheme:/path` without authority, or the bare path.
std::string to_string(const Location& location);

}  // namespace hmsync::processor
