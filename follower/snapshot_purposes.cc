// Which snapshot is due.
#include <algorithm>

#include "follower/snapshot_runs.h"

namespace hmsync::follower {

namespace {

bool is_scoped(const ResyncRequest& request) { return request.scope.database.has_value(); }

bool is_everything(const Scope& scope) { return !scope.database && !scope.databases_only; }

/// The first request that fits, with all that ask for the same.
template <typename Fits>
std::vector<ResyncRequest> alike(const std::vector<ResyncRequest>& requests, const Fits& fits) {
  std::vector<ResyncRequest> found;
  for (const ResyncRequest& request : requests) {
    if (!fits(request)) continue;
    if (found.empty() ||
        (request.scope == found.front().scope && request.dry_run == found.front().dry_run &&
         request.force == found.front().force)) {
      found.push_back(request);
    }
  }
  return found;
}

SnapshotPurpose purpose_of(std::vector<ResyncRequest> requests) {
  const ResyncRequest& first = requests.front();
  SnapshotPurpose purpose;
  purpose.reason = first.dry_run ? "dry_run" : "resync";
  if (is_scoped(first)) purpose.scopes = {first.scope};
  purpose.unbroken = true;
  purpose.dry_run = first.dry_run;
  purpose.guarded = !first.force;
  purpose.requests = std::move(requests);
  return purpose;
}

}  // namespace

std::optional<SnapshotPurpose> SnapshotRuns::whole_purpose(const Orders& orders) {
  if (!term_.state) return std::nullopt;  // it was published just now
  if (!term_.live()) return broken_purpose(orders);
  auto requests = alike(orders.resyncs, [](const auto& request) { return !is_scoped(request); });
  if (!requests.empty()) return purpose_of(std::move(requests));
  const Time now = term_.now();
  if (now < whole_.next) return std::nullopt;
  SnapshotPurpose purpose;
  purpose.unbroken = true;
  if (std::any_of(orders.re_reads.begin(), orders.re_reads.end(), is_everything)) {
    purpose.reason = "re_read";
    return purpose;
  }
  if (!next_verify_ || now < *next_verify_) return std::nullopt;
  next_verify_ = now + term_.options.verify_interval;
  purpose.reason = "verify";
  purpose.dry_run = true;
  return purpose;
}

// The first snapshot, or one that takes the place of lost history.
std::optional<SnapshotPurpose> SnapshotRuns::broken_purpose(const Orders& orders) {
  SnapshotPurpose purpose;
  purpose.reason = term_.broken ? term_.broken->reason : "initial";
  purpose.raise_generation = term_.broken && term_.broken->raise_generation;
  purpose.guarded = term_.state->cursor.has_value();
  if (refused_) {
    auto forced = alike(orders.resyncs, [](const auto& request) {
      return request.force && !request.dry_run && !is_scoped(request);
    });
    if (!forced.empty()) {
      purpose.guarded = false;
      purpose.requests = std::move(forced);
      return purpose;
    }
    auto looks = alike(orders.resyncs,
                       [](const auto& request) { return request.dry_run && !is_scoped(request); });
    if (!looks.empty()) {
      purpose.dry_run = true;
      purpose.requests = std::move(looks);
      return purpose;
    }
    refuse_requests(
        orders,
        "history is lost, and the snapshot that would replace it was refused: " + refused_->reason);
    if (!looks_whole_again()) return std::nullopt;
  } else if (term_.now() < whole_.next) {
    return std::nullopt;
  }
  return purpose;
}

// By names alone, and ever more seldom: a snapshot of a large metastore is not taken for nothing.
bool SnapshotRuns::looks_whole_again() {
  if (term_.now() < refused_->next_look) return false;
  refused_->delay = std::min(2 * refused_->delay, kLongestLook);
  refused_->next_look = term_.now() + refused_->delay;
  term_.ports.observer.entered(Step::read_head);
  const auto tables = static_cast<double>(term_.ports.objects.count_tables());
  return tables >= (1 - term_.options.max_removed) * static_cast<double>(refused_->stored_tables);
}

std::vector<Scope> SnapshotRuns::readable(const std::vector<Scope>& re_reads) {
  std::erase_if(unreadable_, [&](const auto& entry) { return entry.second <= term_.now(); });
  std::vector<Scope> scopes;
  for (const Scope& scope : re_reads) {
    if (scopes.size() == most_re_reads_) break;
    if (!is_everything(scope) && !unreadable_.contains(scope)) scopes.push_back(scope);
  }
  return scopes;
}

std::optional<SnapshotPurpose> SnapshotRuns::scoped_purpose(const Orders& orders) {
  if (term_.now() < scoped_.next) return std::nullopt;
  SnapshotPurpose purpose;
  purpose.unbroken = true;
  auto requests = alike(orders.resyncs, is_scoped);
  if (!requests.empty()) return purpose_of(std::move(requests));
  purpose.scopes = readable(orders.re_reads);
  if (!purpose.scopes.empty()) {
    purpose.reason = "re_read";
    return purpose;
  }
  if (term_.now() < next_sweep_) return std::nullopt;
  term_.ports.observer.entered(Step::read_orders);
  purpose.scopes = sweep_.due();
  if (purpose.scopes.empty()) return std::nullopt;
  purpose.reason = "sweep";
  return purpose;
}

}  // namespace hmsync::follower
