#include "follower/sweep.h"

#include <algorithm>

namespace hmsync::follower {

namespace {

using std::chrono::milliseconds;

/// A look at tables costs a few transactions, whatever their number.
constexpr double kBetweenLooks = 10;  // seconds
constexpr int kMostTables = 500;

int tables_at_once(double per_second) {
  return std::clamp(static_cast<int>(per_second * kBetweenLooks), 1, kMostTables);
}

}  // namespace

Sweep::Sweep(Term& term)
    : term_(term),
      next_databases_(term.now() + term.options.sweep_interval),
      next_tables_(term.now()) {}

std::vector<Scope> Sweep::due() {
  const auto now = term_.now();
  if (term_.options.sweep_interval.count() > 0 && now >= next_databases_) {
    next_databases_ = now + term_.options.sweep_interval;
    at_databases_ = true;
    Scope databases;
    databases.databases_only = true;
    return {databases};
  }
  const double rate = term_.options.sweep_tables_per_second;
  if (rate <= 0 || now < next_tables_) return {};
  next_tables_ = now + pause_between_tables();
  at_databases_ = false;
  return next_tables();
}

void Sweep::looked() {
  if (at_databases_) {
    next_databases_ = term_.now() + term_.options.sweep_interval;
  } else {
    next_tables_ = term_.now() + pause_between_tables();
  }
}

milliseconds Sweep::pause_between_tables() const {
  const double rate = term_.options.sweep_tables_per_second;
  return milliseconds(static_cast<int64_t>(1000 * tables_at_once(rate) / rate));
}

std::vector<Scope> Sweep::next_tables() {
  const int count = tables_at_once(term_.options.sweep_tables_per_second);
  const std::vector<processor::TableName> names = term_.ports.stored.tables_after(last_, count);
  last_ = static_cast<int>(names.size()) < count ? processor::TableName{"", "", ""} : names.back();
  std::vector<Scope> scopes;
  for (const processor::TableName& name : names) {
    Scope scope;
    scope.database = name.in_database();
    scope.table = name.table;
    scopes.push_back(std::move(scope));
  }
  return scopes;
}

}  // namespace hmsync::follower
