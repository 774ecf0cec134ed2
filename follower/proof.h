// Whether a metastore that answers is the one that is followed: one of several addresses may lead
// elsewhere, and a restored or emptied metastore must not be taken for a change.
#pragma once

#include <cstdint>
#include <mutex>
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

/// The expectation that all connections of a daemon share; thread-safe.
class Expected {
 public:
  void set(Expectation expectation);
  [[nodiscard]] Expectation get() const;

 private:
  mutable std::mutex mutex_;
  Expectation expectation_;  ///< guarded by mutex_
};

}  // namespace hmsync::follower
