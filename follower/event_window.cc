#include "follower/event_window.h"

#include <algorithm>

namespace hmsync::follower {

using processor::EventDigest;

void EventWindow::restart(const std::vector<EventDigest>& digests, Time now) {
  events_.clear();
  for (const EventDigest& digest : digests) add(digest, now);
}

void EventWindow::add(const EventDigest& digest, Time now) {
  OfOneId& of_id = events_[digest.id];
  of_id.digests.push_back(digest);
  of_id.newest_at = now;
  forget_old();
}

void EventWindow::forget_old() {
  events_.erase(events_.begin(), events_.upper_bound(events_.rbegin()->first - ids_));
}

bool EventWindow::knows(const EventDigest& digest) const {
  const auto found = events_.find(digest.id);
  return found != events_.end() &&
         std::find(found->second.digests.begin(), found->second.digests.end(), digest) !=
             found->second.digests.end();
}

std::optional<int64_t> EventWindow::lowest_id() const {
  if (events_.empty()) return std::nullopt;
  return events_.begin()->first;
}

std::optional<int64_t> EventWindow::unsettled_since(Time since) const {
  for (const auto& [id, of_id] : events_) {
    if (of_id.newest_at > since) return id;
  }
  return std::nullopt;
}

int32_t EventWindow::count_from(int64_t id) const {
  size_t count = 0;
  for (auto it = events_.lower_bound(id); it != events_.end(); ++it) {
    count += it->second.digests.size();
  }
  return static_cast<int32_t>(count);
}

std::optional<int64_t> EventWindow::missing_from(std::span<const EventDigest> seen, int64_t from,
                                                 int64_t to) const {
  for (auto it = events_.lower_bound(from); it != events_.end() && it->first <= to; ++it) {
    for (const EventDigest& digest : it->second.digests) {
      if (std::find(seen.begin(), seen.end(), digest) == seen.end()) return it->first;
    }
  }
  return std::nullopt;
}

std::vector<EventDigest> EventWindow::digests() const {
  std::vector<EventDigest> all;
  for (const auto& [id, of_id] : events_) {
    all.insert(all.end(), of_id.digests.begin(), of_id.digests.end());
  }
  return all;
}

std::vector<EventDigest> EventWindow::digests_of(int64_t id) const {
  const auto found = events_.find(id);
  return found == events_.end() ? std::vector<EventDigest>{} : found->second.digests;
}

}  // namespace hmsync::follower
