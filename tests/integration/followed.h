// A real deployment with a daemon that has caught up, and what tests of its history do with it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/integration/deployment.h"

namespace hmsync::integration {

/// One deployment for a suite; each test works in a database of its own.
class Followed {
 public:
  explicit Followed(std::vector<std::string> settings);

  Deployment deployment;
  std::unique_ptr<fixtures::MiniHmsync> daemon;

  void create_database(const std::string& database);
  void create_table(const std::string& database, const std::string& table);
  void drop_table(const std::string& database, const std::string& table);
  void rename_table(const std::string& database, const std::string& table,
                    const std::string& new_name);
  /// Fails the test unless hmsyncctl succeeds.
  void done(const std::vector<std::string>& verb) const;
  /// Changes the metastore's own database.
  void metastore_sql(const std::string& statement);
  [[nodiscard]] int64_t metastore_head();
  [[nodiscard]] int64_t cursor() const;
  /// "table action" of each grant of the database that authorises, and the suspended ones.
  [[nodiscard]] std::string grants(const std::string& database) const;
  [[nodiscard]] std::string suspended(const std::string& database) const;
  /// Up to the metastore's head, with nothing left to be read again; then the same objects.
  void expect_right();
  /// A table's creation time, its identity before 4.0, counts whole seconds.
  static void await_next_second();
};

}  // namespace hmsync::integration
