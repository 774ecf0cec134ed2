#include "processor/claim.h"

#include "processor/lower_case.h"

namespace hmsync::processor {
namespace {

TableName whole(const DatabaseName& name) { return {name.catalog, name.database, ""}; }

struct ClaimOf {
  int64_t event_id;

  [[nodiscard]] Claim about(TableName name, Claim::Kind kind = Claim::Kind::changed) const {
    Claim claim;
    claim.event_id = event_id;
    claim.kind = kind;
    claim.name = std::move(name);
    return claim;
  }

  Claim operator()(const CreateDatabase& change) const {
    Claim claim = about(whole(change.database.name), Claim::Kind::created);
    claim.identity = change.database.identity;
    return claim;
  }
  Claim operator()(const AlterDatabase& change) const { return about(whole(change.after.name)); }
  Claim operator()(const DropDatabase& change) const {
    return about(whole(change.name), Claim::Kind::dropped);
  }
  Claim operator()(const CreateTable& change) const {
    Claim claim = about(change.table.name, Claim::Kind::created);
    claim.identity = change.table.identity;
    return claim;
  }
  Claim operator()(const AlterTable& change) const {
    if (change.before.name == change.after.name) return about(change.after.name);
    Claim claim = about(change.after.name, Claim::Kind::renamed);
    claim.from = change.before.name;
    claim.identity = change.before.identity;
    return claim;
  }
  Claim operator()(const DropTable& change) const {
    Claim claim = about(change.name, Claim::Kind::dropped);
    claim.identity = change.identity;
    return claim;
  }
  Claim operator()(const AddPartitions& change) const { return about(change.table); }
  Claim operator()(const DropPartitions& change) const { return about(change.table); }
  Claim operator()(const AlterPartition& change) const { return about(change.table); }
  Claim operator()(const AlterPartitions& change) const { return about(change.table); }
  Claim operator()(const Ignored&) const { return {}; }
};

}  // namespace

const char* to_string(Claim::Kind kind) {
  switch (kind) {
    case Claim::Kind::changed:
      return "changed";
    case Claim::Kind::created:
      return "created";
    case Claim::Kind::dropped:
      return "dropped";
    case Claim::Kind::renamed:
      return "renamed";
  }
  return "changed";
}

std::vector<Claim> claims(int64_t event_id, const Change& change) {
  if (std::holds_alternative<Ignored>(change)) return {};
  return {std::visit(ClaimOf{event_id}, change)};
}

Claim header_claim(const Event& event) {
  Claim claim;
  claim.event_id = event.id;
  const std::string database = lower_case(event.database.value_or(""));
  const std::string table = lower_case(event.table.value_or(""));
  claim.name.database = database;
  if (database.empty()) return claim;
  claim.name = {lower_case(event.catalog.value_or(kDefaultCatalog)), database, table};
  const bool of_database = event.type.ends_with("_DATABASE");
  if (of_database) claim.name.table.clear();
  if (event.type == "CREATE_TABLE" || event.type == "CREATE_DATABASE") {
    claim.kind = Claim::Kind::created;
  } else if (event.type == "DROP_TABLE" || event.type == "DROP_DATABASE") {
    claim.kind = Claim::Kind::dropped;
  } else if (event.type == "ALTER_TABLE") {
    claim.kind = Claim::Kind::renamed;
  }
  // A table's event that does not name its table may be about any of the database's.
  if (!of_database && table.empty()) claim.kind = Claim::Kind::changed;
  return claim;
}

}  // namespace hmsync::processor
