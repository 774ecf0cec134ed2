// A metastore as the contract's tests see it: the follower's ports, and clients that change it.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "follower/metastore.h"
#include "tests/follower/metastore_change.h"

namespace hmsync::hmsclient {

class MetastoreUnderTest {
 public:
  virtual ~MetastoreUnderTest() = default;

  [[nodiscard]] virtual doubles::Generation generation() const = 0;
  /// Where it makes databases that are given no location.
  [[nodiscard]] virtual processor::Location warehouse() const = 0;
  virtual follower::NotificationLog& log() = 0;
  virtual follower::ObjectReader& objects() = 0;
  /// False where it refuses the change. Of other events it knows INSERT (without partition),
  /// CREATE_FUNCTION (named `table`) and, from 3.1 on, ADD_PRIMARYKEY.
  virtual bool run(const doubles::Change& change) = 0;
  /// So that what is created next is told by its identity from what was created before (2.3 and
  /// 3.1 know a creation by its second).
  virtual void let_a_second_pass() = 0;
};

/// What the contract is tested on: its name, and how to reach one. Metastores may be the same from
/// test to test.
struct MetastoreKind {
  const char* name;
  std::function<std::unique_ptr<MetastoreUnderTest>()> reach;

  friend std::ostream& operator<<(std::ostream& out, const MetastoreKind& kind) {
    return out << kind.name;
  }
};

}  // namespace hmsync::hmsclient
