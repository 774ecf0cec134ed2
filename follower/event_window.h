// The events of the last ids, known by their digests: an event may appear late under an id that was
// passed already, and after a reset others have the same ids. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "processor/digest.h"

namespace hmsync::follower {

class EventWindow {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Remembers the events of so many ids, counted back from the highest.
  explicit EventWindow(int64_t ids) : ids_(ids) {}

  /// Whatever was remembered is forgotten; the given ones count as seen now, since nobody knows
  /// when they were.
  void restart(const std::vector<processor::EventDigest>& digests, Time now);
  void add(const processor::EventDigest& digest, Time now);

  [[nodiscard]] bool knows(const processor::EventDigest& digest) const;
  [[nodiscard]] bool has_id(int64_t id) const { return events_.contains(id); }
  [[nodiscard]] std::optional<int64_t> lowest_id() const;
  /// The lowest id that got an event after `since`: its like may still come.
  [[nodiscard]] std::optional<int64_t> unsettled_since(Time since) const;
  /// So many events are remembered of this id and those above it.
  [[nodiscard]] int32_t count_from(int64_t id) const;
  /// The lowest remembered id of [from, to] that has an event which is not among `seen`.
  [[nodiscard]] std::optional<int64_t> missing_from(std::span<const processor::EventDigest> seen,
                                                    int64_t from, int64_t to) const;
  /// Ascending by id.
  [[nodiscard]] std::vector<processor::EventDigest> digests() const;
  [[nodiscard]] std::vector<processor::EventDigest> digests_of(int64_t id) const;

 private:
  struct OfOneId {
    std::vector<processor::EventDigest> digests;
    Time newest_at;  ///< when the last of them was first seen
  };

  void forget_old();

  int64_t ids_;
  std::map<int64_t, OfOneId> events_;
};

}  // namespace hmsync::follower
