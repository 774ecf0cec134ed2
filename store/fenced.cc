#include "store/fenced.h"

#include "store/event_store.h"

namespace hmsync::store {

Statement advance_follower(const std::string& server, const follower::Fence& fence,
                           std::optional<int64_t> cursor, const follower::EventCounts& counts) {
  std::vector<Parameter> parameters{server, std::to_string(fence.token.epoch), fence.token.nonce,
                                    std::to_string(fence.commit_number),
                                    cursor ? Parameter{std::to_string(*cursor)} : Parameter{}};
  for (const int64_t count : {counts.applied, counts.ignored, counts.quarantined, counts.late,
                              counts.shared_id, counts.refuted}) {
    parameters.emplace_back(std::to_string(count));
  }
  return {"SELECT advance_follower($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
          std::move(parameters)};
}

std::vector<Statement> tell_progress(const std::string& server) {
  return {
      {"INSERT INTO follower_progress (server, last_progress_at) VALUES ($1, clock_timestamp()) "
       "ON CONFLICT (server) DO UPDATE SET last_progress_at = excluded.last_progress_at",
       {server}},
      {"SELECT pg_notify($1, $2)", {kCursorChannel, server}}};
}

}  // namespace hmsync::store
