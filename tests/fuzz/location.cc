// Locations: any text has one normal form, which is its own.
#include "processor/location.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/holds.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hmsync::fuzz::holds;
  using namespace hmsync::processor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::optional<Location> location = normalize_location(text);
  holds(location.has_value() != text.empty(), "every text but the empty one has a normal form");
  if (!location) return 0;
  const std::string normal = to_string(*location);
  holds(normalize_location(normal) == location, "normalised twice it is the same");
  holds(normal.size() <= text.size() + 2, "it grows by a leading `./` at most");
  holds(std::none_of(location->scheme.begin(), location->scheme.end(),
                     [](char c) { return c >= 'A' && c <= 'Z'; }),
        "the scheme is in lower case");
  const std::string& path = location->path;
  holds(!path.empty(), "there is a path");
  holds(path.find("//") == std::string::npos, "no slash is doubled");
  holds(path == "/" || path.back() != '/', "no slash at the end");
  holds(path.find("/./") == std::string::npos && !path.ends_with("/."), "no dot within");
  holds(location->scheme.empty() || path.front() == '/', "with a scheme it is absolute");
  return 0;
}
