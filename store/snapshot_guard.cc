#include "store/snapshot_guard.h"

#include <fmt/format.h>

namespace hmsync::store {

namespace {

using processor::Claim;

/// $5 to $7: tables that claims name, and ('' as table) databases that they say are dropped.
constexpr const char* kLost = R"(
SELECT count(*) FILTER (WHERE o.table_name <> ''), count(*) FILTER (WHERE o.table_name = '')
FROM objects o
LEFT JOIN staging_objects s ON s.snapshot = $2
  AND ($4::bigint[] IS NULL OR s.object_id = ANY ($4::bigint[])) AND s.catalog = o.catalog
  AND s.database_name = o.database_name AND s.table_name = o.table_name
WHERE o.server = $1 AND ($3::bigint[] IS NULL OR o.object_id = ANY ($3::bigint[]))
  AND (s.object_id IS NULL OR (o.identity <> '' AND s.identity <> '' AND o.identity <> s.identity))
  AND NOT EXISTS (
    SELECT FROM unnest($5::text[], $6::text[], $7::text[])
      AS n(catalog, database_name, table_name)
    WHERE n.catalog = o.catalog AND n.database_name = o.database_name
      AND n.table_name IN ('', o.table_name)))";

}  // namespace

Losses count_losses(Connection& connection, const Sides& sides, const Claims& claims,
                    const follower::Difference& difference) {
  const auto of_objects = [](const follower::ObjectCounts& counts) {
    return counts.databases + counts.tables;
  };
  Losses losses;
  if (of_objects(difference.removed) + of_objects(difference.changed) > 0) {
    std::vector<std::string> catalogs, databases, tables;
    const auto add = [&](const processor::TableName& name) {
      catalogs.push_back(name.catalog);
      databases.push_back(name.database);
      tables.push_back(name.table);
    };
    for (const StoredClaim& stored : claims.all) {
      if (sides.whole) break;
      const Claim& claim = stored.claim;
      if (!claim.name.table.empty() || claim.kind == Claim::Kind::dropped) add(claim.name);
      if (!claim.from.table.empty()) add(claim.from);
    }
    std::vector<Parameter> parameters = sides.parameters();
    parameters.insert(parameters.end(),
                      {text_array(catalogs), text_array(databases), text_array(tables)});
    const Result row = connection.query(kLost, parameters);
    losses.lost_tables = row.integer(0, 0);
    losses.lost_databases = row.integer(0, 1);
  }
  if (!sides.whole && losses.lost_tables + losses.lost_databases == 0) return losses;
  const Result row = connection.query(
      "SELECT count(*) FILTER (WHERE table_name <> ''), count(*) FILTER (WHERE table_name = '') "
      "FROM objects WHERE server = $1",
      {sides.server});
  losses.stored_tables = row.integer(0, 0);
  losses.stored_databases = row.integer(0, 1);
  return losses;
}

std::string refusal(const follower::Guard& guard, const Losses& losses) {
  const bool by_databases = losses.stored_tables + guard.lost_before == 0;
  const int64_t lost = by_databases ? losses.lost_databases : losses.lost_tables;
  if (lost == 0) return "";
  const int64_t before = by_databases ? 0 : guard.lost_before;
  const int64_t stored = by_databases ? losses.stored_databases : losses.stored_tables;
  const double most = guard.most_lost * static_cast<double>(stored + before);
  if (static_cast<double>(lost + before) <= most) return "";
  const char* const what = by_databases ? "databases" : "tables";
  const std::string earlier =
      before == 0 ? "" : fmt::format(", {} more were lost within the last hour", before);
  return fmt::format(
      "{} of {} stored {} are gone or of another identity in the metastore{}; more than {:.0f}% is "
      "taken for a wrong or broken metastore: nothing was changed; if it is right, resync with "
      "--force",
      lost, stored, what, earlier, guard.most_lost * 100);
}

}  // namespace hmsync::store
