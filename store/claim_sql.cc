#include "store/claim_sql.h"

#include "store/mutation_sql.h"
#include "store/storable.h"

namespace hmsync::store {

namespace {

using processor::Claim;
using processor::TableName;

/// What is kept of it. A `from` that cannot be stored was never in the store: as one that could not
/// be read, it may be any that is.
Claim storable_claim(Claim claim) {
  if (claim.name.database.empty() || !is_storable_name(claim.name)) {
    claim.name = {};
    claim.kind = Claim::Kind::changed;
  }
  if (claim.kind != Claim::Kind::renamed || !is_storable_name(claim.from)) claim.from = {};
  claim.identity = storable(claim.identity);
  return claim;
}

void add(Columns& columns, const Claim& claim) {
  std::vector<Parameter> row{std::to_string(claim.event_id), to_string(claim.kind),
                             claim.name.catalog, claim.name.database, claim.name.table};
  if (claim.from.table.empty()) {
    row.insert(row.end(), 3, std::nullopt);
  } else {
    row.insert(row.end(), {claim.from.catalog, claim.from.database, claim.from.table});
  }
  row.insert(row.end(), {claim.identity, claim.unordered ? "true" : "false",
                         claim.certain ? "true" : "false"});
  columns.add(std::move(row));
}

// Of another generation is an event id that means nothing any more.
const std::string kKeepClaims = R"(WITH input AS MATERIALIZED (
  SELECT i.*, (SELECT generation FROM followers WHERE server = $1) + 0 * $2::bigint AS generation
  FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
              $10::text[], $11::text[], $12::boolean[], $13::boolean[]) WITH ORDINALITY
    AS i(event_id, kind, catalog, database_name, table_name, from_catalog, from_database,
         from_table, identity, unordered, certain, n)),
kept AS (
  INSERT INTO event_claims (server, generation, event_id, kind, catalog, database_name, table_name,
                            from_catalog, from_database, from_table, identity, unordered, certain)
  SELECT $1, generation, event_id, kind, catalog, database_name, table_name, from_catalog,
         from_database, from_table, identity, unordered, certain
  FROM input ORDER BY n)
INSERT INTO pending_re_reads AS r
  (server, catalog, database_name, table_name, event_id, generation, without_claim)
SELECT $1, catalog, database_name, table_name, min(event_id), min(generation), false
FROM (
  SELECT catalog, database_name, table_name, event_id, generation FROM input
  UNION ALL
  SELECT from_catalog, from_database, from_table, event_id, generation FROM input
  WHERE from_table IS NOT NULL) asked
GROUP BY catalog, database_name, table_name ORDER BY min(event_id)
ON CONFLICT (server, catalog, database_name, table_name) DO UPDATE )";

const std::string kStageClaims = R"(
INSERT INTO staging_claims (snapshot, event_id, kind, catalog, database_name, table_name,
                            from_catalog, from_database, from_table, identity, unordered, certain)
SELECT $1, i.event_id + 0 * $2::bigint, i.kind, i.catalog, i.database_name, i.table_name,
       i.from_catalog, i.from_database, i.from_table, i.identity, i.unordered, i.certain
FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::text[], $11::text[], $12::boolean[], $13::boolean[]) WITH ORDINALITY
  AS i(event_id, kind, catalog, database_name, table_name, from_catalog, from_database, from_table,
       identity, unordered, certain, n)
ORDER BY n)";

Columns columns_of(const std::vector<Claim>& claims) {
  Columns columns(11);
  for (const Claim& claim : claims) add(columns, storable_claim(claim));
  return columns;
}

}  // namespace

const char* const kAskAgain = R"(SET
    event_id = CASE WHEN r.generation = excluded.generation
                    THEN least(r.event_id, excluded.event_id) ELSE excluded.event_id END,
    generation = excluded.generation, request_id = excluded.request_id,
    without_claim = r.without_claim OR excluded.without_claim)";

std::vector<Statement> claim_statements(const std::string& server,
                                        const std::vector<Claim>& claims) {
  if (claims.empty()) return {};
  return {{kKeepClaims + kAskAgain, columns_of(claims).parameters({true, server, 0})}};
}

std::vector<Statement> staged_claim_statements(const std::string& snapshot,
                                               const std::vector<Claim>& claims) {
  if (claims.empty()) return {};
  return {{kStageClaims, columns_of(claims).parameters({false, snapshot, 0})}};
}

}  // namespace hmsync::store
