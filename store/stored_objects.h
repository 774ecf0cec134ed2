// What the loop asks of the live state, on PostgreSQL: follower::StoredObjects.
#pragma once

#include <string>
#include <vector>

#include "follower/store.h"
#include "store/connection.h"

namespace hmsync::store {

/// For one server. Uses a connection that it does not own; used by that connection's thread.
class PostgresStoredObjects : public follower::StoredObjects {
 public:
  PostgresStoredObjects(Connection& connection, std::string server);

  int64_t count_tables() override;
  std::vector<processor::TableName> tables_after(const processor::TableName& name,
                                                 int count) override;
  /// Spread over the order in which the tables came to be stored: the same ones while few come and
  /// go. As many look-ups in an index.
  std::vector<follower::KnownTable> some_tables(int count) override;

 private:
  Connection& connection_;
  std::string server_;
};

}  // namespace hmsync::store
