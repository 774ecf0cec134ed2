// A world that is followed already.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "processor/error.h"
#include "tests/follower/world.h"

namespace hmsync::doubles {

inline int64_t notices_of(const World& world, follower::Notice::Kind kind) {
  return std::count_if(world.observer.notices.begin(), world.observer.notices.end(),
                       [&](const follower::Notice& notice) { return notice.kind == kind; });
}

/// Followed, with a few tables.
struct Followed : World {
  Followed() {
    metastore.create_database("sales");
    for (int i = 0; i < 10; ++i) metastore.create_table("sales", "t" + std::to_string(i));
    EXPECT_TRUE(catch_up());
  }

  void expect_equal() {
    EXPECT_TRUE(catch_up());
    EXPECT_EQ(store.live, metastore.objects());
  }

  /// A drop of t0 is not visible, and its id has another event too, which is followed.
  void follow_a_twin_of_a_hidden_event() {
    metastore.drop_table("sales", "t0");
    metastore.hide_last_event();
    metastore.share_last_id();
    metastore.create_table("sales", "twin");
    ASSERT_TRUE(catch_up());
  }

  /// The next look at the log fails; true in what it returns once it has.
  std::shared_ptr<const bool> lose_one_answer() {
    const auto lost = std::make_shared<bool>(false);
    metastore.before_call = [lost](std::string_view call) {
      if (call == "events" && !std::exchange(*lost, true)) {
        throw Error(ErrorKind::transient, "the answer was lost");
      }
    };
    return lost;
  }

  /// Of looks at the log, one after the other, until each asks for a single event.
  void lose_answers() {
    int lost = 0;
    metastore.before_call = [&lost](std::string_view call) {
      if (call != "events" || lost == 6) return;
      ++lost;
      throw Error(ErrorKind::transient, "the answer was lost");
    };
    ASSERT_TRUE(run_until([&] { return lost == 6; }));
    metastore.before_call = [](std::string_view) {};
  }

  /// Of all looks at the log, until history counts as lost for the so manieth time.
  void lose_answers_until_history_is_lost(int64_t times) {
    metastore.before_call = [](std::string_view call) {
      if (call == "events") throw Error(ErrorKind::transient, "the answer was lost");
    };
    store.orders.polls_asked += 1;  // so that there is something to look for
    ASSERT_TRUE(run_until([&] { return notices_of(*this, follower::Notice::Kind::gap) == times; }));
    metastore.before_call = [](std::string_view) {};
  }

  /// The last event went into quarantine and can be read by now; request 9 is to retry it.
  void ask_to_retry_last_event() {
    const std::string message = metastore.last_message();
    metastore.spoil_last_message();
    expect_equal();
    ASSERT_EQ(store.quarantine.size(), 1u);
    store.quarantine[0].event.message = message;
    store.orders.retries = {{9, store.quarantine[0].event.id, "alice"}};
  }
};

}  // namespace hmsync::doubles
