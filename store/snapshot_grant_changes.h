// What a publication found out about grants, gathered and then written.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "processor/object.h"
#include "store/connection.h"

namespace hmsync::store {

class GrantChanges {
 public:
  /// For the audit: grant_changes.h.
  explicit GrantChanges(std::string who) : who_(std::move(who)) {}

  void suspend(const std::string& id, const std::string& reason, int64_t event);
  void remove(const std::string& id, int64_t event);
  /// `key` tells grants apart that may not both be active under one name: false if one with the
  /// same key moves there already. `active`: it will be there; not what is suspended and stays so,
  /// nor what write() suspends. `identity`: the table's, for a grant that has none.
  bool move(const std::string& id, const std::string& key, const processor::TableName& to,
            const std::string& identity, int64_t event, bool active);
  /// Its table had other names before it came back at this event.
  void returned(const std::string& id, int64_t event);

  /// Names may have been exchanged: all that move are parked first, so that none meets another.
  /// What a revoke that is still to be repeated may have meant, under a name in between, is
  /// suspended, for good.
  void write(Connection& connection);

  // Once written.
  [[nodiscard]] bool empty() const;
  [[nodiscard]] int64_t suspended() const {
    return static_cast<int64_t>(suspended_.ids.size()) + perhaps_revoked_;
  }
  [[nodiscard]] const std::vector<std::string>& moved() const { return moved_.ids; }

 private:
  struct Rows {
    std::vector<std::string> ids;
    std::vector<int64_t> events;
    std::vector<std::string> reasons;                                  ///< suspended
    std::vector<std::string> catalogs, databases, tables, identities;  ///< moved
  };
  void write_moves(Connection& connection);
  void suspend_perhaps_revoked(Connection& connection, const Rows& rows);

  std::string who_;
  Rows suspended_;
  Rows removed_;
  Rows moved_;
  Rows returned_;
  int64_t perhaps_revoked_ = 0;  ///< suspended for it
  std::set<std::pair<processor::TableName, std::string>> taken_;
};

}  // namespace hmsync::store
