#include "processor/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

#include "processor/error.h"
#include "processor/gzip_message.h"
#include "processor/message_decoder.h"

namespace hmsync::processor {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

// The formats that were seen: plain JSON of 2.3 to 4.x and of Sentry's factory, packed JSON of 4.x.
bool is_known_format(std::string_view format) {
  constexpr std::array<std::string_view, 5> kKnown = {"", "json", "json-0.2", "json-2.0",
                                                      "gzip(json-2.0)"};
  return std::find(kKnown.begin(), kKnown.end(), format) != kKnown.end();
}

std::string printable(std::string_view text) {
  constexpr size_t kMost = 64;
  std::string result(text.substr(0, kMost));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

// Vendors' servers were seen to send packed messages under the name of the plain format, so the
// first bytes decide: a packed one begins with the base64 of a gzip header.
std::string message_json(const Event& event, const DecodeLimits& limits) {
  if (event.withheld) {
    throw Error(ErrorKind::poison,
                fmt::format("the message has {} bytes, more than metastore.max_message allows",
                            event.withheld->bytes));
  }
  if (!is_known_format(event.message_format)) {
    throw Error(ErrorKind::poison,
                fmt::format("the message format '{}' is not known; known are json-0.2 and "
                            "gzip(json-2.0)",
                            printable(event.message_format)));
  }
  std::string_view text = event.message;
  text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  if (text.starts_with('{')) {
    return event.message;
  }
  if (!text.starts_with("H4sI")) {
    throw Error(ErrorKind::poison, "the message is neither JSON nor base64 of gzip");
  }
  text.remove_suffix(text.size() - 1 - text.find_last_not_of(kWhiteSpace));
  return unpack_gzip_message(text, limits.inflated_bytes);
}

std::string described(const Event& event, const char* reason) {
  return fmt::format("event {} ({}): {}", event.id, event.type, reason);
}

}  // namespace

Change decode(const Event& event, const DecodeLimits& limits) {
  if (!is_read(event.type)) {
    return Ignored{};
  }
  try {
    return decode_message(event, message_json(event, limits));
  } catch (const Error& error) {
    throw Error(error.kind(), described(event, error.what()));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::transient, described(event, "out of memory while decoding it"));
  }
}

const std::vector<std::string>& known_event_types() {
  static const std::vector<std::string> kTypes = {
      "CREATE_DATABASE", "ALTER_DATABASE", "DROP_DATABASE", "CREATE_TABLE", "ALTER_TABLE",
      "DROP_TABLE", "ADD_PARTITION", "DROP_PARTITION", "ALTER_PARTITION", "ALTER_PARTITIONS",
      "INSERT", "CREATE_FUNCTION", "DROP_FUNCTION", "CREATE_INDEX", "DROP_INDEX", "ALTER_INDEX",
      "ADD_PRIMARYKEY", "ADD_FOREIGNKEY", "ADD_UNIQUECONSTRAINT", "ADD_NOTNULLCONSTRAINT",
      "ADD_DEFAULTCONSTRAINT", "ADD_CHECKCONSTRAINT", "DROP_CONSTRAINT", "OPEN_TXN", "COMMIT_TXN",
      "ABORT_TXN", "ALLOC_WRITE_ID_EVENT", "ACID_WRITE_EVENT", "UPDATE_TBL_COL_STAT_EVENT",
      "DELETE_TBL_COL_STAT_EVENT", "UPDATE_PART_COL_STAT_EVENT", "DELETE_PART_COL_STAT_EVENT",
      "RELOAD", "COMMIT_COMPACTION_EVENT",
      // Constants of the metastore that its own listener does not write up to 4.1; others may.
      "CREATE_CATALOG", "DROP_CATALOG", "ALTER_CATALOG", "CREATE_ISCHEMA", "ALTER_ISCHEMA",
      "DROP_ISCHEMA", "ADD_SCHEMA_VERSION", "ALTER_SCHEMA_VERSION", "DROP_SCHEMA_VERSION",
      "CREATE_DATACONNECTOR", "ALTER_DATACONNECTOR", "DROP_DATACONNECTOR", "BATCH_ACID_WRITE_EVENT",
      "UPDATE_PART_COL_STAT_EVENT_BATCH", "CONFIG_CHANGE_EVENT"};
  return kTypes;
}

}  // namespace hmsync::processor
