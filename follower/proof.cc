#include "follower/proof.h"

#include <fmt/format.h>

#include <algorithm>

namespace hmsync::follower {

namespace {

/// Twins of the cursor's events that came meanwhile.
constexpr int32_t kTwins = 2;

bool contains(const std::vector<processor::EventDigest>& digests,
              const processor::EventDigest& digest) {
  return std::find(digests.begin(), digests.end(), digest) != digests.end();
}

/// Most tables must still be there: one may just have been dropped or made anew.
std::string tables_speak_against(ObjectReader& objects, const std::vector<KnownTable>& tables) {
  size_t same = 0;
  for (const KnownTable& known : tables) {
    const auto table = objects.table(known.name);
    if (table && table->identity == known.identity) ++same;
  }
  if (2 * same >= tables.size()) return "";
  return fmt::format("of {} stored tables only {} are there as they were", tables.size(), same);
}

}  // namespace

std::string disproof(NotificationLog& log, ObjectReader& objects, const Expectation& expectation) {
  if (!expectation.uuid.empty()) {
    if (const auto uuid = log.uuid()) {
      if (*uuid == expectation.uuid) return "";
      return fmt::format("its database is {}, not {}", *uuid, expectation.uuid);
    }
  }
  if (expectation.cursor > 0 && !expectation.digests.empty()) {
    const EventPage page = log.events(
        {expectation.cursor - 1, static_cast<int32_t>(expectation.digests.size()) + kTwins});
    bool id_is_there = false;
    for (const processor::Event& event : page.events) {
      if (event.id != expectation.cursor) continue;
      id_is_there = true;
      if (contains(expectation.digests, processor::digest(event))) return "";
    }
    if (id_is_there) return fmt::format("its event {} is another", expectation.cursor);
  }
  const int64_t head = log.head();
  if (head < expectation.cursor) {
    return fmt::format("its head {} is below the cursor {}", head, expectation.cursor);
  }
  return tables_speak_against(objects, expectation.tables);
}

}  // namespace hmsync::follower
