// One term of leadership over the real metastore and the real store.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/loop_observer.h"
#include "daemon/loop_thread.h"
#include "daemon/rewind_judge.h"
#include "follower/clock.h"
#include "follower/follower.h"
#include "hmsclient/snapshot_reader.h"
#include "leader/lease.h"
#include "store/connection.h"
#include "store/event_store.h"

namespace hmsync::daemon {

struct TermSettings {
  std::string server;
  store::ConnectionOptions store;
  hmsclient::Options metastore;
  hmsclient::SnapshotOptions snapshot;
  follower::Options loop;
  store::Retention retention;
};

struct TermParts {
  LoopObserver::Parts observer;
  StepLimits limits;
  std::function<void(follower::Step)> entered;  ///< may be empty
  follower::Clock& clock;
  follower::Expected& expected;
  store::ConnectionObserver* store_observer;
  RewindJudge& rewinds;
  /// Told of each new session's store, before the session is used.
  std::function<void(const RewindJudge::Mark&, const store::StoreProgress&)> saw_progress;
};

/// Connects to the store; the metastore is asked at the first step.
std::unique_ptr<Term> make_follower_term(const TermSettings& settings, const TermParts& parts,
                                         const leader::Token& token);

}  // namespace hmsync::daemon
