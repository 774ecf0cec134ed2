// GrantsFixture for what can only be seen in PostgreSQL.
#pragma once

#include "tests/store/grants_fixture.h"
#include "tests/store/postgres_under_test.h"

namespace hmsync::store {

/// In a program with store_on_postgres.cc.
class PostgresFixture : public GrantsFixture {
 protected:
  /// The making of the role is no part of what is looked at.
  PostgresFixture() { postgres_.side().execute("DELETE FROM audit"); }

  PostgresUnderTest& postgres_ = dynamic_cast<PostgresUnderTest&>(store_);
};

}  // namespace hmsync::store
