#include "store/quarantine_sql.h"

#include <algorithm>

#include "processor/lower_case.h"
#include "store/mutation_sql.h"

namespace hmsync::store {

namespace {

/// A metastore's names are at most 128 or 256 characters; a key of PostgreSQL's holds 2,704 bytes.
constexpr size_t kLongestNames = 2000;

std::string bytea(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\\x";
  text.reserve(2 + 2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

/// How many bytes the UTF-8 character at `at` has; 0 where there is none that PostgreSQL takes.
size_t character_length(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(at + 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

std::string storable(const std::string& text) {
  std::string clean;
  for (size_t at = 0; at < text.size();) {
    const size_t length = character_length(text, at);
    clean += length == 0 ? "\xEF\xBF\xBD" : text.substr(at, length);
    at += std::max<size_t>(length, 1);
  }
  return clean;
}

Parameter storable(const std::optional<std::string>& text) {
  return text ? Parameter{storable(*text)} : Parameter{};
}

void add_re_read(Columns& columns, const processor::Event& event) {
  const std::string catalog =
      processor::lower_case(event.catalog.value_or(processor::kDefaultCatalog));
  const std::string database = processor::lower_case(event.database.value_or(""));
  const std::string table = processor::lower_case(event.table.value_or(""));
  const std::string all = catalog + database + table;
  const bool possible = !database.empty() && all.size() <= kLongestNames && storable(all) == all;
  if (possible) {
    columns.add({std::to_string(event.id), catalog, database, table});
  } else {
    // Whatever it was about: everything is read again.
    columns.add({std::to_string(event.id), processor::kDefaultCatalog, "", ""});
  }
}

}  // namespace

std::vector<Statement> quarantine_statements(
    const std::string& server, const std::vector<follower::QuarantinedEvent>& events) {
  if (events.empty()) return {};
  Columns rows(9);
  Columns re_reads(4);
  for (const auto& [event, reason] : events) {
    rows.add({std::to_string(event.id), std::to_string(event.time), storable(event.type),
              storable(event.catalog), storable(event.database), storable(event.table),
              storable(event.message_format), bytea(event.message), storable(reason)});
    add_re_read(re_reads, event);
  }
  const Target target{true, server, 0};
  std::vector<Statement> statements{{R"(WITH kept AS (
INSERT INTO quarantine
  (server, generation, event_id, event_time, type, catalog, database_name, table_name,
   message_format, message, reason)
SELECT $1, (SELECT generation FROM followers WHERE server = $1) + 0 * $2::bigint, i.*
FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::bytea[], $11::text[]) AS i
RETURNING event_id, type, database_name, table_name, reason)
INSERT INTO audit (server, who, action, object, event, after)
SELECT $1, 'event', 'quarantine', concat_ws('.', database_name, table_name), event_id,
       jsonb_build_object('type', type, 'reason', reason)
FROM kept)",
                                     rows.parameters(target)}};
  if (!re_reads.empty()) {
    statements.push_back({std::string(kNameInput) + R"(
INSERT INTO pending_re_reads AS r
  (server, catalog, database_name, table_name, event_id, generation)
SELECT $1, catalog, database_name, table_name, min(event_id),
       (SELECT generation FROM followers WHERE server = $1)
FROM input GROUP BY catalog, database_name, table_name
ON CONFLICT (server, catalog, database_name, table_name)
DO UPDATE SET event_id = least(r.event_id, excluded.event_id))",
                          re_reads.parameters(target)});
  }
  return statements;
}

}  // namespace hmsync::store
