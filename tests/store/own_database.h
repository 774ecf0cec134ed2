// A migrated schema for each test, on one PostgreSQL for the whole program.
#pragma once

#include <string>

#include "store/connection.h"
#include "store/migrations.h"
#include "tests/fixtures/mini_pg.h"

namespace hmsync::store {

inline fixtures::MiniPg& shared_postgres() {
  static fixtures::MiniPg postgres;
  return postgres;
}

class OwnDatabase {
 public:
  OwnDatabase() {
    static int made = 0;
    const std::string name = "test_" + std::to_string(++made);
    shared_postgres().create_database(name);
    options_.dsn = shared_postgres().dsn(name);
    options_.writes = true;
    Connection connection(options_);
    migrate(connection);
  }

  [[nodiscard]] const ConnectionOptions& options() const { return options_; }

 private:
  ConnectionOptions options_;
};

/// The rows as psql -A would show them: a line each, fields apart by '|', null as "null".
inline std::string text_of(const Result& result, int columns) {
  std::string text;
  for (int row = 0; row < result.rows(); ++row) {
    for (int column = 0; column < columns; ++column) {
      if (column > 0) text += '|';
      text += result.optional_text(row, column).value_or("null");
    }
    text += '\n';
  }
  return text;
}

}  // namespace hmsync::store
