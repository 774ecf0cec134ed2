// What people are granted in tests of the store.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "follower/privileges.h"

namespace hmsync::store {

inline constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

inline const follower::PrivilegeObject kServer{};
inline const follower::PrivilegeObject kSales{"hive", "sales", std::nullopt, std::nullopt,
                                              std::nullopt};
inline const follower::PrivilegeObject kOrders{"hive", "sales", "orders", std::nullopt,
                                               std::nullopt};
inline const follower::PrivilegeObject kAmount{"hive", "sales", "orders", "amount", std::nullopt};
inline const follower::PrivilegeObject kUri{"hive", std::nullopt, std::nullopt, std::nullopt,
                                            "hdfs://nn/Data"};

inline follower::PrivilegeCommand command(const std::string& action,
                                          const follower::PrivilegeObject& object,
                                          bool grant_option = false) {
  return {"analyst", action, object, grant_option, "alice"};
}

}  // namespace hmsync::store
