#include "hmsclient/read_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace hmsync::hmsclient {
namespace {

using follower::EventPage;
using follower::EventRequest;
using testing::ElementsAre;
using testing::IsEmpty;

/// Events 1 to `last`, a hundred bytes each.
class Log : public follower::NotificationLog {
 public:
  explicit Log(int64_t last) : last_(last) {}

  int64_t head() override { return last_; }
  EventPage events(const EventRequest& request) override {
    const std::lock_guard lock(mutex_);
    asked_.push_back(request);
    if (failing_) throw Error(ErrorKind::transient, "the metastore is away");
    EventPage page;
    for (int64_t id = request.after + 1; id <= last_; ++id) {
      const size_t fit = static_cast<size_t>(request.max_bytes / 100);
      if (page.events.size() >= std::min(static_cast<size_t>(request.max_events), fit)) {
        page.cut = true;
        break;
      }
      page.events.emplace_back().id = id;
    }
    return page;
  }
  std::optional<std::string> uuid() override { return "uuid"; }
  bool plain_listener() override { return false; }

  void grow_to(int64_t last) {
    const std::lock_guard lock(mutex_);
    last_ = last;
  }
  void fail() { failing_ = true; }
  [[nodiscard]] std::vector<int64_t> asked_after() const {
    const std::lock_guard lock(mutex_);
    std::vector<int64_t> after;
    for (const EventRequest& request : asked_) after.push_back(request.after);
    return after;
  }
  [[nodiscard]] std::vector<EventRequest> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  mutable std::mutex mutex_;
  int64_t last_;
  bool failing_ = false;
  std::vector<EventRequest> asked_;
};

std::vector<int64_t> ids(const EventPage& page) {
  std::vector<int64_t> ids;
  for (const processor::Event& event : page.events) ids.push_back(event.id);
  return ids;
}

struct TwoLogs {
  explicit TwoLogs(int64_t last) : log(last), ahead(last) {}
  EventPage events(int64_t after, int32_t most) {
    return reader->events({after, most, 1000, true});
  }
  /// What was under way is over then.
  std::vector<int64_t> asked_ahead() {
    reader.reset();
    return ahead.asked_after();
  }

  Log log;
  Log ahead;
  std::optional<ReadAhead> reader{std::in_place, log, ahead, 2};
};

TEST(ReadAhead, AsksTheLogOnlyForTheFirstOfManyFullPages) {
  TwoLogs logs(10);
  EXPECT_THAT(ids(logs.events(0, 4)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ids(logs.events(3, 4)), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(ids(logs.events(6, 4)), ElementsAre(7, 8, 9, 10));
  EXPECT_THAT(logs.log.asked_after(), ElementsAre(0));
}

TEST(ReadAhead, TellsThatAPageReadAheadWasCut) {
  TwoLogs logs(7);
  logs.events(0, 4);
  EXPECT_TRUE(logs.events(3, 100).cut);
}

TEST(ReadAhead, HalvesTheBytesSoThatTwoPagesAreNoMoreThanOne) {
  TwoLogs logs(10);
  logs.events(0, 4);
  logs.events(3, 4);
  EXPECT_EQ(logs.log.asked().front().max_bytes, 500);
  EXPECT_EQ(logs.ahead.asked().front().max_bytes, 500);
}

TEST(ReadAhead, DoesNotReadOnBehindAPageThatIsNotFull) {
  TwoLogs logs(3);
  EXPECT_THAT(ids(logs.events(0, 4)), ElementsAre(1, 2, 3));
  EXPECT_THAT(logs.asked_ahead(), IsEmpty());
}

TEST(ReadAhead, DoesNotReadOnBehindASmallPage) {
  TwoLogs logs(10);
  EXPECT_THAT(ids(logs.events(0, 1)), ElementsAre(1));
  EXPECT_THAT(logs.asked_ahead(), IsEmpty());
}

TEST(ReadAhead, AsksAgainWhereThePageReadAheadWasNotFull) {
  TwoLogs logs(5);
  logs.events(0, 4);
  logs.log.grow_to(6);
  EXPECT_THAT(ids(logs.events(3, 4)), ElementsAre(4, 5, 6));
}

TEST(ReadAhead, AsksAgainForAnotherPlaceOrForFewerEvents) {
  TwoLogs logs(20);
  logs.events(0, 4);
  EXPECT_THAT(ids(logs.events(2, 4)), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(ids(logs.events(5, 2)), ElementsAre(6, 7));
  EXPECT_THAT(logs.log.asked_after(), ElementsAre(0, 2, 5));
}

TEST(ReadAhead, FailsAsReadingAheadDidAndThenAsksTheLog) {
  TwoLogs logs(10);
  logs.ahead.fail();
  logs.events(0, 4);
  EXPECT_THROW(logs.events(3, 4), Error);
  EXPECT_THAT(ids(logs.events(3, 4)), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(logs.log.asked_after(), ElementsAre(0, 3));
}

TEST(ReadAhead, GoesOnBehindPagesThatAreCutByTheirBytes) {
  TwoLogs logs(20);
  EXPECT_THAT(ids(logs.events(0, 8)), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(ids(logs.events(4, 6)), ElementsAre(5, 6, 7, 8, 9))
      << "fewer asked for, as many came";
  EXPECT_THAT(logs.log.asked_after(), ElementsAre(0));
}

TEST(ReadAhead, LeavesWhoDoesNotGoOnAlone) {
  TwoLogs logs(20);
  logs.events(0, 4);
  EXPECT_THAT(ids(logs.reader->events({4, 8, 1000})), ElementsAre(5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(ids(logs.events(3, 4)), ElementsAre(4, 5, 6, 7)) << "what was read ahead is there";
  EXPECT_THAT(logs.log.asked_after(), ElementsAre(0, 4));
  EXPECT_THAT(logs.asked_ahead(), ElementsAre(3, 6));
}

}  // namespace
}  // namespace hmsync::hmsclient
