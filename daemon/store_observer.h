// Counts what is exchanged with the database.
#pragma once

#include <functional>
#include <utility>

#include "metrics/store_probe.h"
#include "store/connection.h"

namespace hmsync::daemon {

/// Thread-safe, as the probe is: one may serve several connections.
class StoreObserver : public store::ConnectionObserver {
 public:
  /// `commit_due` and `commit_sent` may be empty.
  explicit StoreObserver(metrics::StoreProbe& probe, std::function<void()> commit_due = {},
                         std::function<void()> commit_sent = {})
      : probe_(probe), commit_due_(std::move(commit_due)), commit_sent_(std::move(commit_sent)) {}

  void round_trip() override { probe_.round_trip(); }
  void commit_due() override {
    if (commit_due_) commit_due_();
  }
  void commit_sent() override {
    if (commit_sent_) commit_sent_();
  }
  void rows_written(int64_t rows) override { probe_.rows_written(rows); }
  void failed(ErrorKind kind) override { probe_.failed(to_string(kind)); }

 private:
  metrics::StoreProbe& probe_;
  const std::function<void()> commit_due_;
  const std::function<void()> commit_sent_;
};

/// Tells somebody of what was written, too.
class TellingStoreObserver : public StoreObserver {
 public:
  TellingStoreObserver(metrics::StoreProbe& probe, std::function<void()> written)
      : StoreObserver(probe), written_(std::move(written)) {}

  void rows_written(int64_t rows) override {
    StoreObserver::rows_written(rows);
    written_();
  }

 private:
  const std::function<void()> written_;
};

}  // namespace hmsync::daemon
