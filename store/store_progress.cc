#include "store/store_progress.h"

namespace hmsync::store {

namespace {

/// Several replicas find the same rewind within moments of each other.
constexpr double kSameRewind = 10;

std::vector<Parameter> parameters_of(const StoreProgress& progress) {
  return {std::to_string(progress.commit_number), std::to_string(progress.generation),
          std::to_string(progress.epoch), std::to_string(progress.audit_id)};
}

}  // namespace

StoreProgress read_progress(Connection& connection, const std::string& server) {
  const Result row = connection.query(R"(
SELECT coalesce(f.commit_number, 0), coalesce(f.generation, 0), coalesce(f.token_epoch, 0),
       coalesce((SELECT max(audit_id) FROM audit), 0)
FROM (SELECT $1 COLLATE "C" AS server) s LEFT JOIN followers f USING (server))",
                                      {server});
  return {row.integer(0, 0), row.integer(0, 1), row.integer(0, 2), row.integer(0, 3)};
}

void audit_rewind(Connection& connection, const std::string& server, const StoreProgress& seen,
                  const StoreProgress& found, double seconds_ago) {
  std::vector<Parameter> parameters = {server, std::to_string(seconds_ago + kSameRewind)};
  for (const StoreProgress& progress : {seen, found}) {
    const auto numbers = parameters_of(progress);
    parameters.insert(parameters.end(), numbers.begin(), numbers.end());
  }
  connection.query(R"(
INSERT INTO audit (server, who, action, before, after)
SELECT $1, 'hmsyncd', 'rewind',
  jsonb_build_object('commit_number', $3::bigint, 'generation', $4::bigint, 'epoch', $5::bigint,
                     'audit_id', $6::bigint),
  jsonb_build_object('commit_number', $7::bigint, 'generation', $8::bigint, 'epoch', $9::bigint,
                     'audit_id', $10::bigint)
WHERE NOT EXISTS (SELECT FROM audit WHERE server = $1 AND action = 'rewind'
                    AND time > clock_timestamp() - $2::float8 * interval '1 second'))",
                   parameters);
}

}  // namespace hmsync::store
