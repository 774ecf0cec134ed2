// An event as a fuzzer's input: lines TYPE, FORMAT, CATALOG, DATABASE and TABLE, then the message.
// Of the last three an empty line means that the header has none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "processor/event.h"

namespace hmsync::fuzz {

inline std::string input_of(const processor::Event& event) {
  std::string text = event.type + "\n" + event.message_format + "\n";
  for (const auto& name : {event.catalog, event.database, event.table}) {
    text += name.value_or("") + "\n";
  }
  return text + event.message;
}

inline processor::Event event_of(std::string_view input) {
  const auto line = [&input] {
    const size_t end = std::min(input.find('\n'), input.size());
    const std::string text(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
    return text;
  };
  const auto name = [&line]() -> std::optional<std::string> {
    std::string text = line();
    if (text.empty()) return std::nullopt;
    return text;
  };
  processor::Event event;
  event.id = 7;
  event.type = line();
  event.message_format = line();
  event.catalog = name();
  event.database = name();
  event.table = name();
  event.message = input;
  return event;
}

}  // namespace hmsync::fuzz
