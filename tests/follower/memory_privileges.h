// What people do to the grants of the store in memory. One object for each daemon may share one
// store; its hooks are called as by the other ports, with the names of the verbs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "follower/privileges.h"
#include "store/suspended.h"
#include "tests/follower/memory_store.h"

namespace hmsync::doubles {

/// The verbs mean what store/privileges.h and store/suspended.h say.
class MemoryPrivileges : public follower::PrivilegeStore {
 public:
  /// The store must outlive it.
  explicit MemoryPrivileges(MemoryStore& store) : store_(store) {}

  follower::LookedUp look_up(const follower::PrivilegeObject& object) override;
  std::optional<follower::PrivilegeOutcome> grant(const follower::PrivilegeCommand& asked,
                                                  const follower::GrantBasis& basis) override;
  bool revoke_at_once(const follower::PrivilegeCommand& asked) override;
  follower::PrivilegeOutcome revoke(const follower::PrivilegeCommand& asked,
                                    std::optional<int64_t> head) override;

  follower::PrivilegeOutcome create_role(const std::string& role, const std::string& who);
  follower::PrivilegeOutcome drop_role(const std::string& role, const std::string& who);

  store::SettledGrants restore_suspended(const store::GrantIds& ids, bool force,
                                         const std::string& who);
  store::SettledGrants purge_suspended(const store::GrantIds& ids, const std::string& who);

 private:
  template <typename Effect>
  auto call(std::string_view name, const Effect& effect);

  MemoryStore& store_;
};

}  // namespace hmsync::doubles
