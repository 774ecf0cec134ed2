#include "store/snapshot_grant_changes.h"

#include "store/grant_changes.h"
#include "store/revoke.h"

namespace hmsync::store {

namespace {

const std::string kChosenToSuspend = R"(WITH chosen AS MATERIALIZED (
  SELECT grant_id, event_id, reason
  FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS i(grant_id, event_id, reason)))";

const std::string kChosenToRemove = R"(WITH chosen AS MATERIALIZED (
  SELECT grant_id, event_id FROM unnest($1::bigint[], $2::bigint[]) AS i(grant_id, event_id)))";

const std::string kChosenToMove = R"(WITH chosen AS MATERIALIZED (
  SELECT grant_id, event_id, event_id AS as_of, to_catalog, to_database, to_table
  FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[])
    AS i(grant_id, event_id, to_catalog, to_database, to_table)))";

const std::string kPerhapsRevoked = R"(WITH chosen AS MATERIALIZED (
  SELECT g.grant_id, i.event_id, ')" +
                                    std::string(kRevokeUnfinished) +
                                    R"(' AS reason
  FROM unnest($1::bigint[], $2::bigint[]) AS i(grant_id, event_id)
  JOIN grants g USING (grant_id) WHERE NOT g.suspended AND )" +
                                    may_be_revoked("g") + ")";

/// Those that were suspended before: nothing but --force brings them back either.
const std::string kKeepSuspended =
    "UPDATE grants g SET suspended_reason = '" + std::string(kRevokeUnfinished) +
    "' WHERE grant_id = ANY ($1::bigint[]) AND suspended AND "
    "suspended_reason IN ('" +
    kObjectGone + "', '" + kOtherObject + "') AND " + may_be_revoked("g");

}  // namespace

void GrantChanges::suspend(const std::string& id, const std::string& reason, int64_t event) {
  suspended_.ids.push_back(id);
  suspended_.events.push_back(event);
  suspended_.reasons.push_back(reason);
}

void GrantChanges::remove(const std::string& id, int64_t event) {
  removed_.ids.push_back(id);
  removed_.events.push_back(event);
}

bool GrantChanges::move(const std::string& id, const std::string& key,
                        const processor::TableName& to, const std::string& identity, int64_t event,
                        bool active) {
  if (active && !taken_.emplace(to, key).second) return false;
  moved_.ids.push_back(id);
  moved_.events.push_back(event);
  moved_.catalogs.push_back(to.catalog);
  moved_.databases.push_back(to.database);
  moved_.tables.push_back(to.table);
  moved_.identities.push_back(identity);
  return true;
}

void GrantChanges::returned(const std::string& id, int64_t event) {
  returned_.ids.push_back(id);
  returned_.events.push_back(event);
}

bool GrantChanges::empty() const {
  return suspended() == 0 && removed_.ids.empty() && moved_.ids.empty();
}

void GrantChanges::write(Connection& connection) {
  if (!removed_.ids.empty()) {
    connection.query(remove_chosen(kChosenToRemove, who_),
                     {text_array(removed_.ids), text_array(removed_.events)});
  }
  if (!suspended_.ids.empty()) {
    connection.query(suspend_chosen(kChosenToSuspend, who_),
                     {text_array(suspended_.ids), text_array(suspended_.events),
                      text_array(suspended_.reasons)});
  }
  if (!returned_.ids.empty()) suspend_perhaps_revoked(connection, returned_);
  if (!moved_.ids.empty()) write_moves(connection);
}

void GrantChanges::suspend_perhaps_revoked(Connection& connection, const Rows& rows) {
  const Parameter ids = text_array(rows.ids);
  connection.query(kKeepSuspended, {ids});
  perhaps_revoked_ +=
      connection.query(suspend_chosen(kPerhapsRevoked, who_), {ids, text_array(rows.events)})
          .integer(0, 0);
}

void GrantChanges::write_moves(Connection& connection) {
  const Parameter ids = text_array(moved_.ids);
  connection.query(
      "UPDATE grants g SET identity = i.identity "
      "FROM unnest($1::bigint[], $2::text[]) AS i(grant_id, identity) "
      "WHERE g.grant_id = i.grant_id AND g.identity = '' AND i.identity <> ''",
      {ids, text_array(moved_.identities)});
  // Before others meet them.
  suspend_perhaps_revoked(connection, moved_);
  connection.query(
      "UPDATE grants SET suspended = true, suspended_reason = $2 "
      "WHERE grant_id = ANY ($1::bigint[]) AND NOT suspended",
      {ids, kParked});
  const std::vector<Parameter> parameters{ids, text_array(moved_.events),
                                          text_array(moved_.catalogs), text_array(moved_.databases),
                                          text_array(moved_.tables)};
  connection.query(merge_chosen(kChosenToMove, who_), parameters);
  connection.query(move_chosen(kChosenToMove, who_), parameters);
}

}  // namespace hmsync::store
