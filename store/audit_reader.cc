#include "store/audit_reader.h"

#include <fmt/format.h>

#include <array>

namespace hmsync::store {

void audit_lines(Connection& connection, const std::string& server, std::optional<double> since,
                 const Reader::Line& line) {
  const std::array<Parameter, 2> parameters{
      server, since ? Parameter{fmt::format("{:.6f}", *since)} : Parameter{}};
  connection.for_each_row(
      R"(SELECT row_to_json(l) FROM audit a, LATERAL (SELECT
    to_char(a.time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS time, a.who, a.action,
    nullif(a.object, '') AS object, a.event, a.before, a.after, a.outcome) l
WHERE a.server = $1 AND a.time >= coalesce(to_timestamp($2::float8), '-infinity')
ORDER BY a.time, a.audit_id)",
      parameters, [&line](const Result& row) { line(row.text(0, 0)); });
}

}  // namespace hmsync::store
