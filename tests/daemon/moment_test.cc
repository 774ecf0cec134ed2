#include "daemon/moment.h"

#include <gtest/gtest.h>

namespace hmsync::daemon {
namespace {

constexpr double kNow = 1'800'000'000;

TEST(Moment, IsATimeOfTheCalendar) {
  EXPECT_EQ(parse_moment("2023-11-14", kNow), 1'699'920'000);
  EXPECT_EQ(parse_moment("2023-11-14T22:13", kNow), 1'699'999'980);
  EXPECT_EQ(parse_moment("2023-11-14T22:13:20Z", kNow), 1'700'000'000);
  EXPECT_EQ(parse_moment("2023-11-14 22:13:20", kNow), 1'700'000'000);
  EXPECT_EQ(parse_moment("2023-11-14T23:13:20+01:00", kNow), 1'700'000'000);
  EXPECT_EQ(parse_moment("2023-11-14T16:43:20-0530", kNow), 1'700'000'000);
  EXPECT_DOUBLE_EQ(*parse_moment("2023-11-14T22:13:20.250Z", kNow), 1'700'000'000.25);
}

TEST(Moment, IsHowLongAgo) {
  EXPECT_EQ(parse_moment("30s", kNow), kNow - 30);
  EXPECT_EQ(parse_moment("5m", kNow), kNow - 300);
  EXPECT_EQ(parse_moment("1h", kNow), kNow - 3600);
  EXPECT_EQ(parse_moment("7d", kNow), kNow - 604'800);
}

TEST(Moment, IsNothingElse) {
  for (const char* text : {"",
                           "yesterday",
                           "5",
                           "h",
                           "-1h",
                           "1h30m",
                           "1.5h",
                           "2023-02-30",
                           "2023-13-01",
                           "2023-1-1",
                           "2023-11-14T",
                           "2023-11-14T24:00",
                           "2023-11-14T22",
                           "2023-11-14T22:60",
                           "2023-11-14T22:13:",
                           "2023-11-14T22:13:61",
                           "2023-11-14T22:13:20.",
                           "2023-11-14T22:13:20X",
                           "2023-11-14T22:13:20Z ",
                           "2023-11-14T22:13:20+",
                           "99999999999999999999s"}) {
    EXPECT_EQ(parse_moment(text, kNow), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace hmsync::daemon
