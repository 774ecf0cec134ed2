#include "store/snapshot_claims.h"

#include <algorithm>
#include <set>

namespace hmsync::store {

namespace {

using processor::Claim;
using processor::DatabaseName;
using processor::TableName;

/// $3: the last request that the snapshot has read.
const std::string kClaims = R"(
SELECT c.event_id, c.kind, c.catalog, c.database_name, c.table_name, c.from_catalog,
       c.from_database, c.from_table, c.identity, c.unordered, c.certain,
       c.claim_id <= $3::bigint AND NOT )" +
                            is_doubtful("c") + R"( AND NOT )" + is_doubtful("f") + R"(,
       EXISTS (SELECT FROM quarantine q
               WHERE q.server = $1 AND q.generation = c.generation AND q.event_id = c.event_id),
       )" + is_within_scopes("c") +
                            R"(, c.from_table IS NULL OR )" + is_within_scopes("f") + R"(
FROM event_claims c
CROSS JOIN LATERAL (SELECT c.from_catalog AS catalog, c.from_database AS database_name,
                           c.from_table AS table_name) f
WHERE c.server = $1 AND c.generation = (SELECT generation FROM followers WHERE server = $1)
  AND (c.kind = 'renamed' OR )" +
                            is_within_scopes("c") + R"()
ORDER BY c.claim_id)";

constexpr const char* kNames = R"(
SELECT n.catalog, n.database_name, n.table_name, o.identity, s.identity
FROM unnest($3::text[], $4::text[], $5::text[]) AS n(catalog, database_name, table_name)
LEFT JOIN objects o ON o.server = $1 AND o.catalog = n.catalog
  AND o.database_name = n.database_name AND o.table_name = n.table_name
LEFT JOIN staging_objects s ON s.snapshot = $2 AND s.catalog = n.catalog
  AND s.database_name = n.database_name AND s.table_name = n.table_name)";

constexpr const char* kDatabases = R"(
SELECT n.catalog, n.database_name,
  EXISTS (
    SELECT FROM objects o
    JOIN staging_objects s ON s.snapshot = $2 AND s.catalog = o.catalog
      AND s.database_name = o.database_name AND s.table_name = o.table_name
    WHERE o.server = $1 AND o.catalog = n.catalog AND o.database_name = n.database_name
      AND o.table_name <> '' AND o.identity <> '' AND o.identity = s.identity),
  EXISTS (SELECT FROM objects o WHERE o.server = $1 AND o.catalog = n.catalog
            AND o.database_name = n.database_name AND o.table_name <> ''),
  EXISTS (
    SELECT FROM objects o
    JOIN staging_objects s ON s.snapshot = $2 AND s.catalog = o.catalog
      AND s.database_name = o.database_name AND s.table_name = ''
    LEFT JOIN paths p ON p.object_id = o.object_id AND p.partition_values = '{}'
    LEFT JOIN staging_paths t ON t.object_id = s.object_id AND t.partition_values = '{}'
    WHERE o.server = $1 AND o.catalog = n.catalog AND o.database_name = n.database_name
      AND o.table_name = ''
      AND (o.owner, o.owner_type, p.scheme, p.authority, p.path)
          IS NOT DISTINCT FROM (s.owner, s.owner_type, t.scheme, t.authority, t.path))
FROM unnest($3::text[], $4::text[]) AS n(catalog, database_name))";

Claim::Kind kind_of(std::string_view text) {
  for (const auto kind : {Claim::Kind::created, Claim::Kind::dropped, Claim::Kind::renamed}) {
    if (text == to_string(kind)) return kind;
  }
  return Claim::Kind::changed;
}

StoredClaim claim_of(const Result& rows, int row) {
  const auto text = [&](int column) { return std::string(rows.text(row, column)); };
  StoredClaim stored;
  Claim& claim = stored.claim;
  claim.event_id = rows.integer(row, 0);
  claim.kind = kind_of(rows.text(row, 1));
  claim.name = {text(2), text(3), text(4)};
  if (!rows.is_null(row, 7)) claim.from = {text(5), text(6), text(7)};
  claim.identity = text(8);
  claim.unordered = rows.boolean(row, 9);
  claim.certain = rows.boolean(row, 10);
  stored.read = rows.boolean(row, 11);
  stored.poison = rows.boolean(row, 12);
  stored.name_within = rows.boolean(row, 13);
  stored.from_within = rows.boolean(row, 14);
  return stored;
}

void read_names(Connection& connection, const Sides& sides, Claims& claims) {
  std::vector<std::string> catalogs, databases, tables;
  std::set<TableName> names;
  for (const StoredClaim& stored : claims.all) {
    names.insert(stored.claim.name);
    if (!stored.claim.from.table.empty()) names.insert(stored.claim.from);
  }
  for (const TableName& name : names) {
    catalogs.push_back(name.catalog);
    databases.push_back(name.database);
    tables.push_back(name.table);
  }
  const Result rows = connection.query(kNames, {sides.server, sides.snapshot, text_array(catalogs),
                                                text_array(databases), text_array(tables)});
  for (int row = 0; row < rows.rows(); ++row) {
    claims.names[{std::string(rows.text(row, 0)), std::string(rows.text(row, 1)),
                  std::string(rows.text(row, 2))}] = {rows.optional_text(row, 3),
                                                      rows.optional_text(row, 4)};
  }
}

void read_databases(Connection& connection, const Sides& sides, Claims& claims) {
  std::vector<std::string> catalogs, databases;
  for (const StoredClaim& stored : claims.all) {
    const Claim& claim = stored.claim;
    if (claim.kind != Claim::Kind::dropped || !claim.name.table.empty()) continue;
    catalogs.push_back(claim.name.catalog);
    databases.push_back(claim.name.database);
  }
  if (catalogs.empty()) return;
  const Result rows = connection.query(
      kDatabases, {sides.server, sides.snapshot, text_array(catalogs), text_array(databases)});
  for (int row = 0; row < rows.rows(); ++row) {
    claims.databases[{std::string(rows.text(row, 0)), std::string(rows.text(row, 1))}] = {
        rows.boolean(row, 2), rows.boolean(row, 3), rows.boolean(row, 4)};
  }
}

/// A table that was renamed within its database is in it still.
void follow_renames(Claims& claims) {
  std::map<DatabaseName, std::set<std::string>> left;  // identities of tables, by where they were
  for (const StoredClaim& stored : claims.all) {
    const std::optional<std::string> live = claims.at(stored.claim.from).live;
    if (!stored.claim.from.table.empty() && live && !live->empty()) {
      left[stored.claim.from.in_database()].insert(*live);
    }
  }
  for (const StoredClaim& stored : claims.all) {
    if (stored.claim.kind != Claim::Kind::renamed) continue;
    const DatabaseName in = stored.claim.name.in_database();
    const auto database = claims.databases.find(in);
    const std::optional<std::string> staged = claims.at(stored.claim.name).staged;
    if (database == claims.databases.end() || !staged) continue;
    if (left[in].contains(*staged)) database->second.keeps_table = true;
  }
}

/// Whether another event explains why what the claim says cannot be seen any more.
bool explained(const Claims& claims, const StoredClaim& told) {
  const Claim& claim = told.claim;
  return std::any_of(claims.all.begin(), claims.all.end(), [&](const StoredClaim& other) {
    const Claim& next = other.claim;
    if (&other == &told || !may_follow(next, claim)) return false;
    switch (claim.kind) {
      case Claim::Kind::created:
        return (next.kind == Claim::Kind::dropped && covers(next, claim.name)) ||
               (next.kind == Claim::Kind::renamed && next.from == claim.name);
      case Claim::Kind::dropped:
        return (next.kind == Claim::Kind::created || next.kind == Claim::Kind::renamed) &&
               next.name == claim.name &&
               (next.identity.empty() || claims.at(next.name).staged_is(next.identity));
      case Claim::Kind::renamed:
        return next.kind == Claim::Kind::renamed && next.name == claim.from;
      case Claim::Kind::changed:
        break;
    }
    return true;
  });
}

bool is_refuted(const Claims& claims, const StoredClaim& stored) {
  const Claim& claim = stored.claim;
  const bool may_be_untrue = !claim.certain && !claim.unordered && !stored.poison;
  if (!may_be_untrue || !stored.read || !stored.name_within) return false;
  const Standing now = claims.at(claim.name);
  bool untrue = false;
  switch (claim.kind) {
    case Claim::Kind::created:
      if (now.kept()) return !claim.identity.empty() && !now.staged_is(claim.identity);
      untrue = !now.staged;
      break;
    case Claim::Kind::dropped:
      untrue = claim.name.table.empty() ? is_same_database(claims, claim.name.in_database())
                                        : now.kept();
      break;
    case Claim::Kind::renamed:
      untrue = !claim.from.table.empty() && claims.at(claim.from).kept();
      break;
    case Claim::Kind::changed:
      break;
  }
  return untrue && !explained(claims, stored);
}

std::string text_of(const TableName& name) {
  return name.table.empty() ? name.database : name.database + "." + name.table;
}

}  // namespace

Standing Claims::at(const TableName& name) const {
  const auto found = names.find(name);
  return found == names.end() ? Standing{} : found->second;
}

bool covers(const Claim& claim, const TableName& name) {
  if (claim.name.table.empty()) return claim.name.in_database() == name.in_database();
  return claim.name == name;
}

bool is_of_other(const Claim& drop, const std::string& identity) {
  return !drop.name.table.empty() && !drop.identity.empty() && !identity.empty() &&
         drop.identity != identity;
}

std::vector<const Claim*> drops_of(const Claims& claims, const TableName& name) {
  std::vector<size_t> found;
  for (const TableName& named : {name, TableName{name.catalog, name.database, ""}}) {
    const auto [begin, end] = claims.drops.equal_range(named);
    for (auto drop = begin; drop != end; ++drop) found.push_back(drop->second);
    if (name.table.empty()) break;
  }
  std::sort(found.begin(), found.end());
  std::vector<const Claim*> drops;
  for (const size_t at : found) drops.push_back(&claims.all[at].claim);
  return drops;
}

bool is_known(const Claim& claim) { return claim.certain && !claim.unordered; }

bool may_follow(const Claim& next, const Claim& event) {
  return next.unordered || event.unordered || next.event_id > event.event_id;
}

bool is_same_database(const Claims& claims, const DatabaseName& name) {
  const Standing now = claims.at({name.catalog, name.database, ""});
  if (!now.live || !now.staged) return false;
  if (!now.live->empty() && !now.staged->empty()) return now.kept();
  const auto found = claims.databases.find(name);
  if (found == claims.databases.end()) return false;
  return found->second.keeps_table || (!found->second.has_tables && found->second.same_row);
}

Claims read_claims(Connection& connection, const Sides& sides) {
  const Result rows = connection.query(
      kClaims, {sides.server, sides.snapshot, std::to_string(sides.re_reads_through)});
  Claims claims;
  for (int row = 0; row < rows.rows(); ++row) {
    claims.all.push_back(claim_of(rows, row));
    const Claim& claim = claims.all.back().claim;
    if (claim.kind == Claim::Kind::dropped) claims.drops.emplace(claim.name, claims.all.size() - 1);
  }
  if (claims.all.empty()) return claims;
  read_names(connection, sides, claims);
  read_databases(connection, sides, claims);
  follow_renames(claims);
  return claims;
}

std::vector<follower::Scope> beyond_scopes(const Claims& claims) {
  std::set<TableName> inside;
  std::set<TableName> outside;
  const auto add = [&](const TableName& name, bool within) {
    (within ? inside : outside).insert(name);
  };
  std::vector<const Claim*> renames;
  for (const StoredClaim& stored : claims.all) {
    if (stored.claim.from.table.empty()) continue;
    add(stored.claim.name, stored.name_within);
    add(stored.claim.from, stored.from_within);
    renames.push_back(&stored.claim);
  }
  std::set<TableName> missing;
  for (bool grown = true; grown;) {
    grown = false;
    for (const Claim* rename : renames) {
      for (const auto& [one, other] :
           {std::pair{rename->from, rename->name}, std::pair{rename->name, rename->from}}) {
        const bool reached = inside.contains(one) || missing.contains(one);
        if (reached && outside.contains(other)) grown |= missing.insert(other).second;
      }
    }
  }
  std::vector<follower::Scope> scopes;
  for (const TableName& name : missing) scopes.push_back({name.in_database(), name.table, false});
  return scopes;
}

std::vector<Claim> refuted_claims(const Claims& claims) {
  std::vector<Claim> refuted;
  for (const StoredClaim& stored : claims.all) {
    if (is_refuted(claims, stored)) refuted.push_back(stored.claim);
  }
  return refuted;
}

void record_refuted(Connection& connection, const std::string& server,
                    const std::vector<Claim>& refuted) {
  if (refuted.empty()) return;
  std::vector<int64_t> events;
  std::vector<std::string> objects, kinds;
  for (const Claim& claim : refuted) {
    events.push_back(claim.event_id);
    objects.push_back(text_of(claim.kind == Claim::Kind::renamed ? claim.from : claim.name));
    kinds.emplace_back(to_string(claim.kind));
  }
  connection.query(R"(WITH told AS (
  INSERT INTO audit (server, who, action, object, event, after)
  SELECT $1, 'event', 'refute', object, event_id, jsonb_build_object('said', kind)
  FROM unnest($2::bigint[], $3::text[], $4::text[]) AS i(event_id, object, kind)
  RETURNING 1)
UPDATE followers SET refuted = refuted + (SELECT count(*) FROM told) WHERE server = $1)",
                   {server, text_array(events), text_array(objects), text_array(kinds)});
}

}  // namespace hmsync::store
