#include "tests/simulation/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace hmsync::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

constexpr auto kNever = [] { return false; };

struct SetAtEnd {
  bool& ended;
  ~SetAtEnd() { ended = true; }
};

TEST(Scheduler, SleepersWakeInTheOrderOfTheirTimes) {
  Scheduler scheduler(1);
  std::vector<std::string> woken;
  for (const int time : {30, 10, 20}) {
    scheduler.spawn([&scheduler, &woken, time] {
      scheduler.sleep(milliseconds(time));
      woken.push_back(std::to_string(time));
    });
  }
  EXPECT_FALSE(scheduler.run_until(kNever, scheduler.now() + seconds(1)));
  EXPECT_THAT(woken, ElementsAre("10", "20", "30"));
}

TEST(Scheduler, TimePassesOnlyWhenNobodyIsDue) {
  Scheduler scheduler(1);
  const auto begin = scheduler.now();
  scheduler.spawn([&] { scheduler.sleep(seconds(5)); });
  scheduler.spawn([&] {
    for (int i = 0; i < 10; ++i) scheduler.sleep({});
    EXPECT_EQ(scheduler.now(), begin);
  });
  scheduler.run_until(kNever, begin + seconds(10));
  EXPECT_EQ(scheduler.now(), begin + seconds(5));
}

TEST(Scheduler, AKilledFiberIsUnwound) {
  Scheduler scheduler(1);
  bool unwound = false;
  bool went_on = false;
  const auto fiber = scheduler.spawn([&] {
    const SetAtEnd guard{unwound};
    scheduler.sleep(seconds(100));
    went_on = true;
  });
  scheduler.run_until(kNever, scheduler.now() + seconds(1));
  scheduler.kill(fiber);
  EXPECT_TRUE(
      scheduler.run_until([&] { return !scheduler.alive(fiber); }, scheduler.now() + seconds(1)));
  EXPECT_TRUE(unwound);
  EXPECT_FALSE(went_on);
}

TEST(Scheduler, ItsEndUnwindsAll) {
  bool unwound = false;
  {
    Scheduler scheduler(1);
    scheduler.spawn([&] {
      const SetAtEnd guard{unwound};
      scheduler.sleep(seconds(100));
    });
    scheduler.run_until(kNever, scheduler.now() + seconds(1));
  }
  EXPECT_TRUE(unwound);
}

TEST(Scheduler, ExceptionsStayWithTheirFibers) {
  Scheduler scheduler(1);
  std::vector<std::string> caught;
  for (const std::string name : {"one", "other"}) {
    scheduler.spawn([&scheduler, &caught, name] {
      try {
        throw std::runtime_error(name);
      } catch (const std::runtime_error&) {
        scheduler.sleep(milliseconds(1));  // the other one throws meanwhile
        try {
          throw;
        } catch (const std::runtime_error& again) {
          caught.emplace_back(again.what());
        }
      }
    });
  }
  scheduler.run_until(kNever, scheduler.now() + seconds(1));
  EXPECT_THAT(caught, testing::UnorderedElementsAre("one", "other"));
}

TEST(Scheduler, WhatAFiberDoesNotCatchEndsTheRun) {
  Scheduler scheduler(1);
  scheduler.spawn([] { throw std::runtime_error("found"); });
  EXPECT_THROW(scheduler.run_until(kNever, scheduler.now() + seconds(1)), std::runtime_error);
}

}  // namespace
}  // namespace hmsync::simulation
