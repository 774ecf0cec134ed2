#include "processor/location.h"

#include <algorithm>
#include <vector>

#include "processor/lower_case.h"

namespace hmsync::processor {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_scheme_character(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

// Length of the scheme, 0 without one. Hadoop refuses a scheme that is followed by a relative path,
// so a colon that no slash follows is taken as part of a name.
size_t scheme_length(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 == text.size() || text[colon + 1] != '/') {
    return 0;
  }
  const std::string_view scheme = text.substr(0, colon);
  const bool valid = !scheme.empty() && is_letter(scheme.front()) &&
                     std::all_of(scheme.begin(), scheme.end(), is_scheme_character);
  return valid ? colon : 0;
}

// As java.net.URI resolves dots: a `..` without a segment before it stays, at the root as well.
std::vector<std::string_view> resolved_segments(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (segment.empty() || segment == ".") {
      continue;
    }
    if (segment == ".." && !segments.empty() && segments.back() != "..") {
      segments.pop_back();
    } else {
      segments.push_back(segment);
    }
  }
  return segments;
}

std::string normalize_path(std::string_view path, bool absolute) {
  std::string result;
  result.reserve(path.size() + 2);
  for (const std::string_view segment : resolved_segments(path)) {
    if (absolute || !result.empty()) {
      result += '/';
    }
    result += segment;
  }
  if (result.empty()) {
    result = absolute ? "/" : ".";
  }
  return result;
}

}  // namespace

std::optional<Location> normalize_location(std::string_view text) {
  if (text.empty()) {
    return std::nullopt;
  }
  Location location;
  std::string_view rest = text;
  if (const size_t length = scheme_length(text); length > 0) {
    location.scheme = lower_case(std::string(text.substr(0, length)));
    rest.remove_prefix(length + 1);
  }
  if (rest.starts_with("//") && rest.size() > 2) {
    rest.remove_prefix(2);
    const size_t end = std::min(rest.find('/'), rest.size());
    location.authority = rest.substr(0, end);
    rest.remove_prefix(end);
  }
  const bool absolute = rest.starts_with('/') || !location.authority.empty();
  location.path = normalize_path(rest, absolute);
  if (!absolute && scheme_length(location.path) > 0) {
    location.path.insert(0, "./");  // `./a:/b` must not turn into a scheme, nor does it in Java
  }
  return location;
}

std::string to_string(const Location& location) {
  std::string text;
  text.reserve(location.scheme.size() + location.authority.size() + location.path.size() + 3);
  if (!location.scheme.empty()) {
    text += location.scheme;
    text += ':';
  }
  if (!location.authority.empty()) {
    text += "//";
    text += location.authority;
  }
  text += location.path;
  return text;
}

}  // namespace hmsync::processor
