#include "store/quarantine_store.h"

#include <array>

#include "store/bytea.h"

namespace hmsync::store {

namespace {

constexpr const char* kFirstSeen =
    R"(to_char(q.first_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS first_seen)";

KeptEvent kept_event(const Result& rows, int row) {
  KeptEvent kept;
  kept.event.id = rows.integer(row, 0);
  kept.event.time = rows.integer(row, 1);
  kept.event.type = rows.text(row, 2);
  kept.event.catalog = rows.optional_text(row, 3);
  kept.event.database = rows.optional_text(row, 4);
  kept.event.table = rows.optional_text(row, 5);
  kept.event.message_format = rows.text(row, 6);
  kept.event.message = bytes_of(rows.text(row, 7));
  if (!rows.is_null(row, 8)) kept.event.withheld = {rows.integer(row, 8), {}};
  kept.generation = rows.integer(row, 9);
  kept.current = rows.boolean(row, 10);
  kept.reason = rows.text(row, 11);
  kept.attempts = rows.integer(row, 12);
  kept.first_seen = rows.text(row, 13);
  kept.state = rows.text(row, 14);
  return kept;
}

}  // namespace

void quarantine_lines(Connection& connection, const std::string& server, const Reader::Line& line) {
  const std::array<Parameter, 1> parameters{server};
  connection.for_each_row(std::string(R"(SELECT row_to_json(l) FROM quarantine q, LATERAL (SELECT
    q.event_id AS event, q.type, nullif(q.database_name, '') AS database,
    nullif(q.table_name, '') AS "table", q.reason, q.attempts, )") +
                              kFirstSeen + R"(, q.state) l
WHERE q.server = $1 ORDER BY q.generation, q.event_id, q.quarantine_id)",
                          parameters, [&line](const Result& row) { line(row.text(0, 0)); });
}

std::vector<KeptEvent> kept_events(Connection& connection, const std::string& server,
                                   int64_t event) {
  const Result rows = connection.query(
      std::string("SELECT q.event_id, q.event_time, q.type, q.catalog, q.database_name, "
                  "q.table_name, q.message_format, q.message, q.withheld_bytes, q.generation, "
                  "q.generation = f.generation, q.reason, q.attempts, ") +
          kFirstSeen +
          ", q.state FROM quarantine q JOIN followers f USING (server) "
          "WHERE q.server = $1 AND q.event_id = $2 "
          "ORDER BY q.state = 'quarantined' DESC, q.generation DESC, q.quarantine_id DESC",
      {server, std::to_string(event)});
  std::vector<KeptEvent> kept;
  for (int row = 0; row < rows.rows(); ++row) kept.push_back(kept_event(rows, row));
  return kept;
}

int64_t skip_events(Connection& connection, const std::string& server, int64_t event,
                    const std::string& who) {
  return connection
      .query(R"(
WITH skipped AS (
  UPDATE quarantine SET state = 'skipped'
  WHERE server = $1 AND event_id = $2 AND state = 'quarantined'
  RETURNING *),
audited AS (
  INSERT INTO audit (time, server, who, action, object, event, before, after)
  SELECT clock_timestamp(), server, $3, 'skip',
         concat_ws('.', nullif(database_name, ''), nullif(table_name, '')), event_id,
         jsonb_build_object('state', 'quarantined', 'type', type, 'reason', reason),
         jsonb_build_object('state', state)
  FROM skipped)
SELECT count(*) AS rows_written FROM skipped)",
             {server, std::to_string(event), who})
      .integer(0, 0);
}

}  // namespace hmsync::store
