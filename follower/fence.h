// What proves, inside every writing transaction, that its writer is still the leader.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace hmsync::follower {

/// Made at each acquisition of the lease. The nonce is there because a lossy database fail-over can
/// forget an epoch.
struct Token {
  int64_t epoch = 0;
  std::string nonce;

  auto operator<=>(const Token&) const = default;
};

/// A transaction commits only where the follower-state row still has this token and this commit
/// number; it raises the number by one.
struct Fence {
  Token token;
  int64_t commit_number = 0;
};

}  // namespace hmsync::follower
