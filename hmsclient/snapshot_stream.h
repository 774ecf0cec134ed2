// One run over the metastore's objects with several connections. Not for use outside this folder.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "follower/metastore.h"
#include "hmsclient/snapshot_pages.h"
#include "hmsclient/snapshot_reader.h"
#include "hmsclient/snapshot_work.h"

namespace hmsync::hmsclient {

/// Each thread takes a unit of work, reads it, hands its page on, and only then lets others take
/// the work that follows from it.
class ParallelStream : public follower::SnapshotStream {
 public:
  ParallelStream(const Options& options, const SnapshotOptions& snapshot,
                 const std::vector<follower::Scope>& scopes, std::shared_ptr<Interrupt> interrupt);
  ~ParallelStream() override;

  std::optional<follower::SnapshotPage> next() override;
  [[nodiscard]] follower::SnapshotProgress progress() const override;

 private:
  void work();
  std::optional<Unit> take_unit();
  void deliver(UnitResult result);
  void fail();
  [[nodiscard]] bool finished() const { return work_.empty() && busy_ == 0; }

  const Options options_;
  const PageSizes sizes_;
  const size_t pages_ahead_;
  const std::shared_ptr<Interrupt> interrupt_;

  mutable std::mutex mutex_;  // guards all that follows
  std::condition_variable changed_;
  SnapshotWork work_;
  std::deque<follower::SnapshotPage> pages_;
  int busy_ = 0;  ///< units being read
  bool stopping_ = false;
  std::exception_ptr failure_;

  std::vector<std::thread> threads_;
};

}  // namespace hmsync::hmsclient
