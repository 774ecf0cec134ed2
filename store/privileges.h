// Roles, their members and grants, as people change them. Every change writes its audit row, and
// for grants a row of the change log, in its own transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "follower/privileges.h"
#include "store/connection.h"

namespace hmsync::store {

enum class MemberKind { group, user };

/// For one server; roles and members are global to the schema. Used by one thread at a time; waits
/// for the lock of the followers row, which a batch holds while it is being applied. Throws Error:
/// poison for names that PostgreSQL cannot hold, else as Connection does.
///
/// ALL contains the other actions, on the same object:
/// - an action that is held by ALL already is not granted again, unless it brings the grant option;
/// - ALL takes the place of what it contains: the narrower grants go, but for one with the grant
///   option where ALL comes without;
/// - revoking one action from ALL leaves the seven others, revoking ALL leaves none.
/// A revoke takes the grant whole, its grant option included, and reaches what is below the object,
/// suspended grants too; from the server it reaches everything of this server, URIs included.
class PostgresPrivilegeStore : public follower::PrivilegeStore {
 public:
  PostgresPrivilegeStore(ConnectionOptions options, std::string server,
                         ConnectionObserver* observer = nullptr);

  follower::LookedUp look_up(const follower::PrivilegeObject& object) override;
  /// A grant that is there already changes nothing but takes the newer `as_of_event`, so that an
  /// older event that is still unread does not undo what was asked for. A grant of the same role
  /// that belongs to another object of this name (its drop or rename is still unread) is suspended,
  /// for that event to remove or to carry.
  std::optional<follower::PrivilegeOutcome> grant(const follower::PrivilegeCommand& asked,
                                                  const follower::GrantBasis& basis) override;
  bool revoke_at_once(const follower::PrivilegeCommand& asked) override;
  /// Of what is not granted: done, and nothing changed. On the server and on URIs it is final at
  /// once, since no event moves such grants.
  follower::PrivilegeOutcome revoke(const follower::PrivilegeCommand& asked,
                                    std::optional<int64_t> head) override;

  /// Refused where the role exists.
  follower::PrivilegeOutcome create_role(const std::string& role, const std::string& who);
  /// With its members and its grants on every server. Refused where it does not exist.
  follower::PrivilegeOutcome drop_role(const std::string& role, const std::string& who);
  /// A member that is there already: done, and nothing changed. So is removing one that is not.
  /// Refused where the role does not exist.
  follower::PrivilegeOutcome add_member(const std::string& role, MemberKind kind,
                                        const std::string& member, const std::string& who);
  follower::PrivilegeOutcome remove_member(const std::string& role, MemberKind kind,
                                           const std::string& member, const std::string& who);

  /// Refusals that are decided before this class is called (rights, the object is not there) leave
  /// their audit row by this; its own ones do so themselves. `object`: role or object, as text.
  void audit_refusal(const std::string& who, const std::string& action, const std::string& object,
                     const std::string& reason);

  /// As Connection::interrupt().
  void interrupt() { connection_.interrupt(); }

 private:
  struct FollowerRow {
    int64_t generation = 0;
    std::optional<int64_t> cursor;
    bool re_reads = false;  ///< effects of events up to the cursor are still to be read
  };

  FollowerRow lock_follower();
  bool is_gone(const follower::PrivilegeCommand& command, const follower::GrantBasis& basis);
  void remove_role(const std::string& role, const std::string& who);
  bool role_exists(const std::string& role);
  follower::PrivilegeOutcome refuse(const std::string& who, const std::string& action,
                                    const std::string& object, const std::string& reason);
  bool put_grant(const follower::PrivilegeCommand& command, const follower::GrantBasis& basis,
                 const FollowerRow& follower);
  follower::PrivilegeOutcome change_member(const std::string& role, MemberKind kind,
                                           const std::string& member, const std::string& who,
                                           bool add);

  Connection connection_;
  std::string server_;
};

}  // namespace hmsync::store
