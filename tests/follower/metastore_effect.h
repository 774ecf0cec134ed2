// What a change does to the objects of a metastore's double, and the events that it leaves. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "processor/event.h"
#include "tests/follower/metastore_change.h"

namespace hmsync::doubles {

struct EffectContext {
  const ObjectMap& objects;
  const processor::Location& warehouse;
  Generation generation;
  bool gzip_messages;
  int64_t event_time;        ///< seconds
  int64_t creation_seconds;  ///< of what is created
  int64_t table_id;          ///< of the table that is created (4.0)
};

struct Effect {
  std::string kind;  ///< as in Committed
  std::vector<processor::TableName> touched;
  /// What they become; nothing: they go.
  std::map<processor::DatabaseName, std::optional<processor::Database>> databases;
  std::map<processor::TableName, std::optional<StoredTable>> tables;
  std::vector<processor::Event> events;  ///< without ids
};

/// The metastore refuses the change; what a plain listener logs all the same.
class Refused : public std::runtime_error {
 public:
  Refused(const std::string& reason, std::vector<processor::Event> told)
      : std::runtime_error(reason), logged(std::move(told)) {}
  std::vector<processor::Event> logged;
};

/// Throws Refused.
Effect effect_of(const Change& change, const EffectContext& context);

/// Directory name of a partition as the metastore makes it, `key=value/key=value`, escaped.
std::string partition_folder(const processor::Table& table, const std::vector<std::string>& values);

}  // namespace hmsync::doubles
