// Whether a metastore that answers is the one that is followed: one of several addresses may lead
// elsewhere, and a restored or emptied metastore must not be taken for a change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "follower/metastore.h"
#include "follower/store.h"

namespace hmsync::follower {

/// What is known of it. Nothing known: any metastore is the one.
struct Expectation {
  std::string uuid;    ///< empty: not known, or the metastore tells none (2.3)
  int64_t cursor = 0;  ///< 0: no event was applied yet
  std::vector<processor::EventDigest> digests;  ///< of the cursor's events
  std::vector<KnownTable> tables;
};

/// Empty: it is the one. Else what speaks against it, in words. Asks for the UUID; where either
/// side has none, for the cursor's event; where that was cleaned away, whether the head is not
/// below the cursor and the known tables are there with their identities.
std::string disproof(NotificationLog& log, ObjectReader& objects, const Expectation& expectation);

/// Where the loop leaves what all connections of its daemon are held to. Thread-safe.
class Expected {
 public:
  virtual ~Expected() = default;
  virtual void set(Expectation expectation) = 0;
  [[nodiscard]] virtual Expectation get() const = 0;
};

}  // namespace hmsync::follower
