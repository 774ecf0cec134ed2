// Random sequences of calls on the store in memory and on PostgreSQL.
#include <algorithm>
#include <random>

#include "tests/store/objects.h"
#include "tests/store/two_stores.h"

namespace hmsync::store {
namespace {

using namespace processor;
using follower::Published;
using follower::Scope;
using follower::SnapshotPage;

/// A snapshot in the making.
struct Open {
  std::string ids[2];  ///< on each side
  bool whole = true;
  std::vector<Scope> scopes;
  std::set<TableName> staged;
  bool replayed = false;  ///< rows may be in it that no page had
};

std::string text_of(const Scope& scope) {
  return (scope.database ? scope.database->database : "*") + "." + scope.table.value_or("");
}

std::string text_of(const follower::ObjectCounts& counts) {
  return std::to_string(counts.databases) + "," + std::to_string(counts.tables) + "," +
         std::to_string(counts.partitions);
}

std::string text_of(const follower::Difference& difference) {
  return "+" + text_of(difference.added) + " ~" + text_of(difference.changed) + " -" +
         text_of(difference.removed) + " s" + std::to_string(difference.suspended_grants);
}

std::string text_of(const Published& published) {
  std::vector<std::string> missing;
  for (const Scope& scope : published.missing) missing.push_back(text_of(scope));
  std::sort(missing.begin(), missing.end());
  std::string text = std::to_string(static_cast<int>(published.outcome)) + " " +
                     text_of(published.difference) + " of " +
                     std::to_string(published.stored_tables) + " lost " +
                     std::to_string(published.lost_tables) + " " + published.reason;
  for (const std::string& scope : missing) text += " missing " + scope;
  for (const Claim& claim : published.refuted) text += " refuted " + std::to_string(claim.event_id);
  return text;
}

std::string text_of(const SettledGrants& settled) {
  std::vector<std::string> reasons;
  for (const auto& refusal : settled.refused) reasons.push_back(refusal.reason);
  std::sort(reasons.begin(), reasons.end());
  std::string text = std::to_string(settled.count);
  for (const std::string& reason : reasons) text += "; " + reason;
  return text;
}

std::string text_of(const follower::PrivilegeOutcome& outcome) {
  return outcome.outcome + " " + outcome.reason + (outcome.changed ? " changed" : "") +
         (outcome.repeat_at_event ? " again at " + std::to_string(*outcome.repeat_at_event) : "");
}

/// Few names and identities, so that everything meets everything.
class RandomCalls {
 public:
  explicit RandomCalls(unsigned seed) : random_(seed) {}

  void step() {
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return apply();
      case 4:
      case 5:
      case 6:
        return grant();
      case 7:
        return revoke();
      case 8:
        return settle();
      case 9:
        return heads();
      case 10:
      case 11:
      case 12:
        return read_again();
      case 13:
        return snapshot_of_all();
      case 14:
        return go_on_with_snapshot();
      default:
        return compare();
    }
  }
  TwoStores& stores() { return stores_; }

 private:
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool once_in(int count) { return below(count) == 0; }
  int64_t cursor() { return stores_.memory().events().state().cursor.value_or(0); }
  int64_t generation() { return stores_.memory().events().state().generation; }

  std::string any_database() { return once_in(3) ? "e" : "d"; }
  TableName any_table() {
    return named(any_database(), std::string(1, static_cast<char>('p' + below(3))));
  }
  /// An object's, or a database's with all that is in it.
  TableName any_name() { return once_in(6) ? named(any_database(), "") : any_table(); }
  std::string any_identity() { return once_in(8) ? "" : "created:" + std::to_string(1 + below(4)); }
  Database a_database(const std::string& name) {
    Database made = database(name, once_in(3) ? "bob" : "alice");
    if (once_in(4)) made.identity = any_identity();
    return made;
  }
  Table a_table(const TableName& name) {
    Table made = table(name.database, name.table, any_identity());
    if (once_in(4)) made.location = at("/moved/" + name.table);
    if (once_in(8)) made.location = std::nullopt;
    return made;
  }

  Operation any_operation() {
    const TableName name = any_table();
    switch (below(12)) {
      case 0: {
        Database made = a_database(any_database());
        if (once_in(3)) made.location = std::nullopt;
        return PutDatabase{made};
      }
      case 1:
        return RemoveDatabase{{kDefaultCatalog, any_database()}};
      case 2:
      case 3:
        return CreateTableRow{a_table(name)};
      case 4:
        return UpdateTable{a_table(name),
                           once_in(2) ? std::vector<std::string>{"c"} : std::vector<std::string>{}};
      case 5:
        return RemoveTable{name};
      case 6:
      case 7:
      case 8: {
        RenameTable rename{name, a_table(any_table()), std::nullopt, {}};
        if (rename.to.name == name) return RemoveTable{name};
        if (once_in(2)) rename.partition_paths = PathRewrite{"/p", "/q"};
        if (once_in(4)) rename.vanished_columns = {"c"};
        return rename;
      }
      default: {
        const std::vector<std::string> value{std::to_string(below(3))};
        if (once_in(3)) return RemovePartitions{name, {value}};
        std::vector<Partition> put{{value, std::nullopt}};
        if (!once_in(6)) put[0].location = at("/p/" + std::to_string(below(3)));
        return PutPartitions{name, put};
      }
    }
  }
  std::vector<Mutation> some_mutations(int64_t& event) {
    std::vector<Mutation> mutations;
    for (int i = below(5); i > 0; --i) {
      if (!once_in(5)) ++event;
      mutations.push_back({event, any_operation()});
    }
    return mutations;
  }
  std::vector<Claim> some_claims(int64_t& event) {
    std::vector<Claim> claims;
    for (int i = below(3); i > 0; --i) {
      Claim claim;
      claim.event_id = once_in(4) ? event : ++event;
      claim.kind = static_cast<Claim::Kind>(below(4));
      claim.name = once_in(20) ? TableName{} : any_name();
      if (claim.kind == Claim::Kind::renamed) {
        claim.name = any_table();
        if (!once_in(4)) claim.from = any_table();
        if (claim.from == claim.name) claim.from = {};
      }
      if (once_in(2)) claim.identity = any_identity();
      claim.unordered = once_in(2);
      claim.certain = once_in(2);
      claims.push_back(claim);
    }
    return claims;
  }

  void apply() {
    follower::Batch batch;
    int64_t event = cursor();
    batch.mutations = some_mutations(event);
    batch.claims = once_in(2) ? some_claims(event) : std::vector<Claim>{};
    if (!batch.claims.empty() && once_in(4)) {
      batch.quarantined.resize(1);
      batch.quarantined[0].event.id = batch.claims[0].event_id;
      batch.quarantined[0].event.type = "ALTER_TABLE";
    }
    batch.cursor = event;
    stores_.both("apply to " + std::to_string(event) + kinds(batch.mutations, batch.claims),
                 [&](StoreUnderTest& store, size_t) {
                   store.events().apply(stores_.fence(store), batch);
                   return std::string("applied");
                 });
  }

  follower::PrivilegeCommand any_command() {
    follower::PrivilegeCommand command{
        once_in(5) ? "clerk" : "analyst", "SELECT", {}, once_in(4), "alice"};
    if (once_in(3)) command.action = once_in(2) ? "ALL" : "INSERT";
    const TableName name = any_name();
    if (once_in(25)) return command;
    command.object.database = name.database;
    if (!name.table.empty()) command.object.table = name.table;
    if (!name.table.empty() && once_in(4)) command.object.column = "c";
    return command;
  }
  static std::string text_of_command(const follower::PrivilegeCommand& command) {
    const follower::PrivilegeObject& object = command.object;
    return command.role + " " + command.action + " " + object.database.value_or("") + "." +
           object.table.value_or("") + "." + object.column.value_or("");
  }
  void grant() {
    const follower::PrivilegeCommand command = any_command();
    follower::GrantBasis basis{generation(), cursor() + below(4) - 1, any_identity()};
    if (!command.object.table) basis.identity.clear();
    for (const auto& known : stores_.memory().stored().some_tables(100)) {
      const bool is_it = command.object.database == known.name.database &&
                         command.object.table == known.name.table;
      if (is_it && !once_in(3)) basis.identity = known.identity;
    }
    stores_.both("grant " + text_of_command(command) + " as of " +
                     std::to_string(basis.as_of_event) + " " + basis.identity,
                 [&](StoreUnderTest& store, size_t) {
                   const auto outcome = store.privileges().grant(command, basis);
                   return outcome ? text_of(*outcome) : "asks again";
                 });
  }
  void revoke() {
    const follower::PrivilegeCommand command = any_command();
    std::optional<int64_t> head = cursor() + below(4) - 1;
    if (once_in(4)) head.reset();
    stores_.both(
        "revoke " + text_of_command(command) + " head " + std::to_string(head.value_or(-1)),
        [&](StoreUnderTest& store, size_t) {
          return text_of(store.privileges().revoke(command, head));
        });
  }
  void settle() {
    const bool force = once_in(2);
    const bool purge = once_in(4);
    stores_.both(purge   ? "purge"
                 : force ? "restore by force"
                         : "restore",
                 [&](StoreUnderTest& store, size_t) {
                   return text_of(purge ? store.purge_suspended(std::nullopt, "bob")
                                        : store.restore_suspended(std::nullopt, force, "bob"));
                 });
  }
  void heads() {
    const int64_t head = cursor() + below(3) - 1;
    stores_.both("head " + std::to_string(head), [&](StoreUnderTest& store, size_t) {
      store.record_head(head);
      store.orders().repeat_revokes(stores_.fence(store));
      return std::string("repeated");
    });
  }

  Open begin(const std::vector<Scope>& scopes) {
    Open open;
    open.scopes = scopes;
    open.whole = scopes.empty();
    std::string what = "begin";
    for (const Scope& scope : scopes) what += " " + text_of(scope);
    stores_.both(what, [&](StoreUnderTest& store, size_t side) {
      open.ids[side] = store.snapshots().begin(scopes);
      return std::string("begun");
    });
    return open;
  }
  /// What may be there of the scopes.
  SnapshotPage page_of(Open& open, const std::vector<Scope>& scopes, bool whole) {
    SnapshotPage page;
    for (const char* in : {"d", "e"}) {
      const bool own =
          whole || std::any_of(scopes.begin(), scopes.end(), [&](const Scope& scope) {
            return scope.databases_only || (scope.database->database == in && !scope.table);
          });
      const TableName row = named(in, "");
      if (own && !once_in(5) && open.staged.insert(row).second) {
        page.databases.push_back(as_stored(a_database(in)));
      }
      for (const char* name : {"p", "q", "r"}) {
        const TableName full = named(in, name);
        const bool read = whole || std::any_of(scopes.begin(), scopes.end(), [&](const Scope& s) {
                            return !s.databases_only && s.database->database == in &&
                                   (!s.table || *s.table == name);
                          });
        if (!read || once_in(3) || !open.staged.insert(full).second) continue;
        Table made = a_table(full);
        for (const auto& known : stores_.memory().stored().some_tables(100)) {
          if (known.name == full && !once_in(3)) made.identity = known.identity;
        }
        page.tables.push_back(made);
        if (once_in(3)) page.partitions.push_back({full, {partition({"0"}, "/p/0")}});
      }
    }
    return page;
  }
  Database as_stored(Database made) { return made; }
  void add(Open& open, const std::vector<Scope>& more = {}) {
    const bool first = more.empty();
    const SnapshotPage page =
        open.replayed ? SnapshotPage{} : page_of(open, first ? open.scopes : more, open.whole);
    std::string what = "add";
    for (const Database& one : page.databases) what += " " + one.name.database;
    for (const Table& one : page.tables) {
      what += " " + one.name.database + "." + one.name.table + "=" + one.identity;
    }
    stores_.both(what, [&](StoreUnderTest& store, size_t side) {
      store.snapshots().add(open.ids[side], page, more);
      return std::string("added");
    });
  }
  void replay(Open& open) {
    int64_t event = cursor();
    const std::vector<Mutation> mutations =
        open.whole ? some_mutations(event) : std::vector<Mutation>{};
    const std::vector<Claim> claims = some_claims(event);
    open.replayed = true;
    stores_.both("replay" + kinds(mutations, claims), [&](StoreUnderTest& store, size_t side) {
      store.snapshots().replay(open.ids[side], mutations, claims);
      return std::string("replayed");
    });
  }
  void publish(Open& open) {
    follower::Publication publication;
    publication.cursor = cursor();
    publication.unbroken = !open.whole || once_in(2);
    publication.reason = once_in(3) ? "resync" : "re_read";
    if (!publication.unbroken) {
      publication.raise_generation = once_in(4);
      publication.cursor += publication.raise_generation ? -below(3) : below(4);
      publication.cursor = std::max<int64_t>(publication.cursor, 0);
    }
    if (once_in(3)) publication.guard = follower::Guard{0.4, below(2)};
    Published::Outcome outcome{};
    std::vector<Scope> missing;
    for (int tries = 0; tries < 5; ++tries) {
      stores_.both(std::string(publication.unbroken ? "publish" : "publish broken") +
                       (publication.raise_generation ? " reset" : ""),
                   [&](StoreUnderTest& store, size_t side) {
                     const Published published = store.snapshots().publish(
                         stores_.fence(store), open.ids[side], publication);
                     outcome = published.outcome;
                     missing = published.missing;
                     return text_of(published);
                   });
      if (outcome != Published::Outcome::incomplete) break;
      add(open, missing);
    }
    stores_.both("discard", [&](StoreUnderTest& store, size_t side) {
      store.snapshots().discard(open.ids[side]);
      return std::string("discarded");
    });
  }

  void read_again() {
    std::vector<Scope> scopes;
    for (const Scope& scope : stores_.memory().orders().pending().re_reads) {
      if (!scope.database) return snapshot_of_all();
      if (!once_in(3)) scopes.push_back(scope);
    }
    if (scopes.empty() || once_in(4)) scopes.push_back(follower::Scope{any_scope()});
    if (once_in(6)) scopes = {{std::nullopt, std::nullopt, true}};
    Open open = begin(scopes);
    add(open);
    if (once_in(3)) apply();
    if (once_in(4)) grant();
    if (once_in(4)) replay(open);
    publish(open);
  }
  Scope any_scope() {
    const TableName name = any_name();
    Scope scope{name.in_database(), std::nullopt, false};
    if (!name.table.empty()) scope.table = name.table;
    return scope;
  }
  void snapshot_of_all() {
    Open open = begin({});
    add(open);
    if (once_in(3)) replay(open);
    publish(open);
  }
  /// One that goes on while other things happen.
  void go_on_with_snapshot() {
    if (!open_) {
      open_ = begin({});
      return add(*open_);
    }
    if (once_in(2)) return replay(*open_);
    publish(*open_);
    open_.reset();
  }
  void compare() {
    if (!open_) return;
    open_->replayed = true;
    stores_.both("compare", [&](StoreUnderTest& store, size_t side) {
      return text_of(store.snapshots().compare(open_->ids[side]));
    });
  }

  static std::string text_of_name(const TableName& name) {
    return name.database + "." + name.table;
  }
  static std::string kinds(const std::vector<Mutation>& mutations,
                           const std::vector<Claim>& claims) {
    static const char* const kNames[] = {"put db", "drop db", "create",         "update",
                                         "drop",   "rename",  "put partitions", "drop partitions"};
    std::string text;
    for (const Mutation& mutation : mutations) {
      text += "; " + std::to_string(mutation.event_id) + " " + kNames[mutation.operation.index()];
      if (const auto* r = std::get_if<RenameTable>(&mutation.operation)) {
        text +=
            " " + text_of_name(r->from) + " to " + text_of_name(r->to.name) + "=" + r->to.identity;
      } else if (const auto* c = std::get_if<CreateTableRow>(&mutation.operation)) {
        text += " " + text_of_name(c->table.name) + "=" + c->table.identity;
      } else if (const auto* d = std::get_if<RemoveTable>(&mutation.operation)) {
        text += " " + text_of_name(d->name);
      } else if (const auto* u = std::get_if<UpdateTable>(&mutation.operation)) {
        text += " " + text_of_name(u->table.name);
      } else if (const auto* p = std::get_if<PutPartitions>(&mutation.operation)) {
        text += " " + text_of_name(p->table);
      } else if (const auto* q = std::get_if<RemovePartitions>(&mutation.operation)) {
        text += " " + text_of_name(q->table);
      }
    }
    for (const Claim& claim : claims) {
      text += "; claim " + std::to_string(claim.event_id) + " " + to_string(claim.kind) + " " +
              text_of_name(claim.name);
      if (!claim.from.table.empty()) text += " from " + text_of_name(claim.from);
      text += (claim.identity.empty() ? "" : " " + claim.identity) +
              std::string(claim.unordered ? " unordered" : "") + (claim.certain ? " certain" : "");
    }
    return text;
  }

  std::minstd_rand random_;
  TwoStores stores_;
  std::optional<Open> open_;
};

class Differential : public testing::TestWithParam<unsigned> {};

TEST_P(Differential, RandomCallsLeaveTheSameInMemoryAndInPostgres) {
  RandomCalls calls(GetParam());
  for (int i = 0; i < 150 && !HasFailure(); ++i) {
    calls.step();
    calls.stores().expect_same();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Differential, testing::Range(1u, 9u));

}  // namespace
}  // namespace hmsync::store
