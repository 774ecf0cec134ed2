#include "processor/stored_text.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "processor/error.h"
#include "processor/lower_case.h"

namespace hmsync::processor {

std::string stored_text(std::string_view raw, std::string_view what) {
  if (raw.find('\0') != std::string_view::npos) {
    throw Error(ErrorKind::poison, fmt::format("{} contains U+0000, which cannot be stored", what));
  }
  if (!simdjson::validate_utf8(raw.data(), raw.size())) {
    throw Error(ErrorKind::poison, fmt::format("{} is not valid UTF-8", what));
  }
  return std::string(raw);
}

std::string stored_name(std::string_view raw, std::string_view what) {
  return lower_case(stored_text(raw, what));
}

}  // namespace hmsync::processor
