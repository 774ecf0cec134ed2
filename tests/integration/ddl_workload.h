// Clients that change a real metastore at random, each in databases of its own, so that each knows
// what its changes must have come to.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace hmsync::integration {

class DdlWorkload {
 public:
  /// Grants SELECT on "database.table" and returns once that is done. Called by the clients'
  /// threads; what it throws ends the client and fails the test.
  using Grant = std::function<void(const std::string&)>;

  /// External tables are put into `folder`.
  DdlWorkload(std::string uri, std::filesystem::path folder, int clients, uint32_t seed);
  /// Stops.
  ~DdlWorkload();

  /// Before start(): managed tables are made as hmsclient::insert_only() says. For 4.0.
  void make_insert_only_tables() { insert_only_ = true; }
  /// Each client goes on until stop(), or until all together have made so many statements.
  void start(int64_t most_statements = INT64_MAX);
  /// From now on a fifth of the new tables get a grant.
  void give_grants(Grant grant);
  /// A client has ended too early.
  [[nodiscard]] bool has_failed() const;
  void stop();
  /// Blocks until the clients have made all their statements.
  void join();

  [[nodiscard]] int64_t statements() const { return statements_; }
  [[nodiscard]] int64_t grants() const { return grants_; }
  /// After the end: the tables that must have a grant, "database.table".
  [[nodiscard]] std::set<std::string> granted() const;
  /// After the end: what ended a client too early.
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

 private:
  class Client;
  void run(int index);
  bool grant(const std::string& table);

  const std::string uri_;
  const std::filesystem::path folder_;
  const int clients_;
  const uint32_t seed_;
  bool insert_only_ = false;
  int64_t most_statements_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int64_t> statements_ = 0;
  std::atomic<int64_t> grants_ = 0;

  mutable std::mutex mutex_;  ///< guards what is below
  Grant grant_;
  std::set<std::string> granted_;
  std::vector<std::string> failures_;
  std::vector<std::thread> threads_;
};

}  // namespace hmsync::integration
