#include "tests/processor/recorded_events.h"

#include <simdjson.h>

namespace hmsync::processor {
namespace {

std::optional<std::string> optional_text(const simdjson::dom::element& line, const char* key) {
  std::string_view text;
  if (line[key].get(text) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return std::string(text);
}

}  // namespace

std::vector<Event> recorded_events(const std::string& recording) {
  std::vector<Event> events;
  simdjson::dom::parser parser;
  const std::string path = std::string(HMSYNC_SAMPLES) + "/" + recording + ".jsonl";
  simdjson::dom::document_stream lines = parser.load_many(path, size_t{4} << 20);
  for (const simdjson::dom::element line : lines) {
    Event event;
    event.id = line["eventId"].get_int64();
    event.time = line["eventTime"].get_int64();
    event.type = std::string_view(line["eventType"]);
    event.catalog = optional_text(line, "catName");
    event.database = optional_text(line, "dbName");
    event.table = optional_text(line, "tableName");
    event.message = std::string_view(line["message"]);
    event.message_format = std::string_view(line["messageFormat"]);
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace hmsync::processor
