// A follower with its metastore, store and clock, all in memory and one thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "follower/follower.h"
#include "tests/follower/memory_metastore.h"
#include "tests/follower/memory_store.h"

namespace hmsync::doubles {

class VirtualClock : public follower::Clock {
 public:
  std::chrono::steady_clock::time_point time{};
  [[nodiscard]] std::chrono::steady_clock::time_point now() const override { return time; }
  [[nodiscard]] double wall_seconds() const override { return 0; }
};

class RecordingObserver : public follower::Observer {
 public:
  std::vector<follower::Notice> notices;
  std::vector<std::string> failures;
  std::vector<follower::SnapshotReport> snapshots;  ///< those that ended
  follower::PollReport last_poll;
  int polls = 0;

  void entered(follower::Step) override {}
  void polled(const follower::PollReport& report) override {
    last_poll = report;
    ++polls;
  }
  void applied(const follower::BatchReport&) override {}
  void snapshot(const follower::SnapshotReport& report) override {
    if (report.state != follower::SnapshotReport::State::running) snapshots.push_back(report);
  }
  void noticed(const follower::Notice& notice) override { notices.push_back(notice); }
  void failed(const Error& error) override { failures.emplace_back(error.what()); }
};

class KeptExpectation : public follower::Expected {
 public:
  void set(follower::Expectation expectation) override { kept_ = std::move(expectation); }
  [[nodiscard]] follower::Expectation get() const override { return kept_; }

 private:
  follower::Expectation kept_;
};

struct World {
  MemoryMetastore metastore;
  MemoryStore store;
  VirtualClock clock;
  RecordingObserver observer;
  KeptExpectation expected;
  follower::Options options;
  std::unique_ptr<follower::Follower> follower;

  /// Sweeps and automatic dry runs are for tests that want them.
  World() {
    options.sweep_interval = {};
    options.sweep_tables_per_second = 0;
    options.verify_interval = {};
    elect(1);
  }

  /// A new term of leadership.
  void elect(int64_t epoch) {
    store.follower.token = {epoch, "nonce"};
    make_follower();
  }
  void make_follower() {
    follower = std::make_unique<follower::Follower>(
        follower::Ports{metastore, metastore, store, store, store, store, expected, clock,
                        observer},
        options, store.follower.token);
  }
  std::chrono::milliseconds step() {
    const auto wait = follower->step();
    clock.time += wait;
    return wait;
  }
  /// Steps until the condition holds; false if it does not within so many steps.
  bool run_until(const std::function<bool()>& condition, int steps = 1000) {
    for (int i = 0; i < steps; ++i) {
      if (condition()) return true;
      step();
    }
    return condition();
  }
  /// Until the store stands at the metastore's head, and no snapshot runs.
  bool catch_up() {
    return run_until([&] {
      return store.follower.cursor == metastore.now() && store.re_reads.empty() &&
             store.orders.resyncs.empty() &&
             observer.last_poll.phase == follower::Phase::following &&
             observer.last_poll.state.cursor == metastore.now();
    });
  }
};

}  // namespace hmsync::doubles
