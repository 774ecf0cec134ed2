#include "store/quarantine_sql.h"

#include <algorithm>

#include "store/bytea.h"
#include "store/mutation_sql.h"
#include "store/storable.h"

namespace hmsync::store {

namespace {

std::string bytea_of(const processor::WithheldMessage& withheld) {
  return bytea({reinterpret_cast<const char*>(withheld.hash.data()), withheld.hash.size()});
}

processor::Event event_of(const Result& rows, int row) {
  processor::Event event;
  event.id = rows.integer(row, 1);
  event.time = rows.integer(row, 2);
  event.type = rows.text(row, 3);
  event.catalog = rows.optional_text(row, 4);
  event.database = rows.optional_text(row, 5);
  event.table = rows.optional_text(row, 6);
  event.message_format = rows.text(row, 7);
  event.message = bytes_of(rows.text(row, 8));
  if (!rows.is_null(row, 9)) {
    event.withheld.emplace();
    event.withheld->bytes = rows.integer(row, 9);
    const std::string hash = bytes_of(rows.text(row, 10));
    std::transform(hash.begin(), hash.end(), event.withheld->hash.begin(),
                   [](char c) { return static_cast<std::byte>(c); });
  }
  return event;
}

/// Whose numbers are the first column.
Result waiting_rows(Connection& connection, const std::string& server, int64_t event,
                    const std::string& lock) {
  return connection.query(
      "SELECT quarantine_id, event_id, event_time, type, catalog, database_name, table_name, "
      "message_format, message, withheld_bytes, withheld_hash FROM quarantine WHERE server = $1 "
      "AND generation = (SELECT generation FROM followers WHERE server = $1) AND event_id = $2 "
      "AND state = 'quarantined' ORDER BY quarantine_id" +
          lock,
      {server, std::to_string(event)});
}

}  // namespace

std::vector<Statement> quarantine_statements(
    const std::string& server, const std::vector<follower::QuarantinedEvent>& events) {
  if (events.empty()) return {};
  Columns rows(11);
  for (const auto& [event, reason] : events) {
    rows.add({std::to_string(event.id), std::to_string(event.time), storable(event.type),
              storable(event.catalog), storable(event.database), storable(event.table),
              storable(event.message_format), bytea(event.message), storable(reason),
              event.withheld ? Parameter{std::to_string(event.withheld->bytes)} : Parameter{},
              event.withheld ? Parameter{bytea_of(*event.withheld)} : Parameter{}});
  }
  return {{R"(WITH kept AS (
INSERT INTO quarantine
  (server, generation, event_id, event_time, type, catalog, database_name, table_name,
   message_format, message, reason, withheld_bytes, withheld_hash)
SELECT $1, (SELECT generation FROM followers WHERE server = $1) + 0 * $2::bigint, i.*
FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::bytea[], $11::text[], $12::bigint[], $13::bytea[]) AS i
RETURNING event_id, type, database_name, table_name, reason)
INSERT INTO audit (server, who, action, object, event, after)
SELECT $1, 'event', 'quarantine', concat_ws('.', database_name, table_name), event_id,
       jsonb_build_object('type', type, 'reason', reason)
FROM kept)",
           rows.parameters({true, server, 0})}};
}

std::vector<processor::Event> quarantined_events(Connection& connection, const std::string& server,
                                                 int64_t event) {
  const Result rows = waiting_rows(connection, server, event, "");
  std::vector<processor::Event> events;
  for (int row = 0; row < rows.rows(); ++row) events.push_back(event_of(rows, row));
  return events;
}

void settle_retried(Connection& connection, const std::string& server, int64_t event,
                    const std::vector<follower::Retried>& outcomes) {
  const Result rows = waiting_rows(connection, server, event, " FOR UPDATE");
  if (static_cast<size_t>(rows.rows()) != outcomes.size()) {
    throw Error(ErrorKind::transient,
                "event " + std::to_string(event) +
                    " was skipped or set aside again while it was retried: it is retried again");
  }
  for (int row = 0; row < rows.rows(); ++row) {
    connection.query(
        "UPDATE quarantine SET state = CASE WHEN $2 = '' THEN 'applied' ELSE state END, "
        "attempts = attempts + CASE WHEN $2 = '' THEN 0 ELSE 1 END, "
        "reason = CASE WHEN $2 = '' THEN reason ELSE $2 END WHERE quarantine_id = $1",
        {std::string(rows.text(row, 0)), storable(outcomes[static_cast<size_t>(row)].failure)});
  }
}

}  // namespace hmsync::store
