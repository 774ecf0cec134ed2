// Every recorded event, damaged in all sorts of ways: the answer is a change or Error(poison).
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>

#include "processor/error.h"
#include "tests/processor/change_text.h"
#include "tests/processor/recorded_events.h"

namespace hmsync::processor {
namespace {

// Whether it decodes. Any other exception than Error(poison) fails the test.
bool decodes(const Event& event) {
  try {
    decode(event, {.inflated_bytes = size_t{8} << 20});
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::poison) << error.what();
    EXPECT_TRUE(std::string(error.what()).starts_with("event ")) << error.what();
  }
  return false;
}

bool is_ignored(const Event& event) { return std::holds_alternative<Ignored>(decode(event)); }

// All lengths of short messages; of long ones about 300, the last 50 among them.
std::vector<size_t> lengths_below(size_t size) {
  std::vector<size_t> lengths;
  const size_t step = std::max<size_t>(1, size / 250);
  for (size_t length = 0; length < size; length += length + 50 < size ? step : 1) {
    lengths.push_back(length);
  }
  return lengths;
}

class DamagedMessages : public testing::TestWithParam<std::string> {
 protected:
  const std::vector<Event> events_ = recorded_events(GetParam());
};

TEST_P(DamagedMessages, CutShortAreErrorsWhereTheTypeIsRead) {
  for (const Event& event : events_) {
    const bool ignored = is_ignored(event);
    for (const size_t length : lengths_below(event.message.size())) {
      Event cut = event;
      cut.message.resize(length);
      EXPECT_EQ(decodes(cut), ignored) << event.id << " cut to " << length;
    }
  }
}

TEST_P(DamagedMessages, CutAtEveryLengthAreErrorsForOneEventOfEachReadType) {
  std::set<std::string> seen;
  for (const Event& event : events_) {
    if (is_ignored(event) || !seen.insert(event.type).second) {
      continue;
    }
    for (size_t length = 0; length < event.message.size(); ++length) {
      Event cut = event;
      cut.message.resize(length);
      EXPECT_FALSE(decodes(cut)) << event.id << " cut to " << length;
    }
  }
  EXPECT_GE(seen.size(), 8U);
}

TEST_P(DamagedMessages, WithBytesChangedAreAChangeOrAnError) {
  std::mt19937 random(20260101);  // NOLINT: a fixed seed, so that a failure can be repeated
  const std::string bytes = std::string("\0\xff{}[]\",:\\u0d8", 15);
  size_t refused = 0;
  for (const Event& event : events_) {
    const int rounds = event.message.size() > 20'000 ? 10 : 60;
    for (int i = 0; i < rounds; ++i) {
      Event changed = event;
      const size_t count = 1 + random() % 3;
      for (size_t n = 0; n < count; ++n) {
        changed.message[random() % changed.message.size()] = bytes[random() % bytes.size()];
      }
      refused += decodes(changed) ? 0 : 1;
    }
  }
  EXPECT_GT(refused, events_.size());
}

TEST_P(DamagedMessages, WithPartsLeftOutOrDoubledAreAChangeOrAnError) {
  std::mt19937 random(20260102);  // NOLINT: see above
  size_t refused = 0;
  for (const Event& event : events_) {
    const int rounds = event.message.size() > 20'000 ? 10 : 40;
    for (int i = 0; i < rounds; ++i) {
      Event changed = event;
      const size_t at = random() % changed.message.size();
      const std::string part = changed.message.substr(at, 1 + random() % 40);
      if (i % 2 == 0) {
        changed.message.erase(at, part.size());
      } else {
        changed.message.insert(at, part);
      }
      refused += decodes(changed) ? 0 : 1;
    }
  }
  EXPECT_GT(refused, events_.size());
}

TEST_P(DamagedMessages, FollowedByMoreAreErrorsWhereTheTypeIsRead) {
  for (const Event& event : events_) {
    const bool ignored = is_ignored(event);
    for (const std::string& more :
         {std::string("}"), std::string("x"), event.message, std::string(size_t{64} << 10, 'a')}) {
      Event longer = event;
      longer.message += more;
      EXPECT_EQ(decodes(longer), ignored) << event.id;
    }
  }
}

TEST_P(DamagedMessages, ReplacedByAbsurdOnesAreErrorsWhereTheTypeIsRead) {
  const std::string brackets(200'000, '[');
  std::string objects;
  for (int i = 0; i < 200'000; ++i) {
    objects += "{\"a\":";
  }
  const std::vector<std::string> absurd = {"",
                                           " ",
                                           "null",
                                           "{",
                                           "H4sI",
                                           "H4sIAAAAAAAA",
                                           std::string(size_t{3} << 20, 'a'),
                                           std::string(size_t{3} << 20, '\0'),
                                           brackets,
                                           objects,
                                           "{\"db\":" + brackets + "}",
                                           "H4sI" + std::string(size_t{3} << 20, 'A')};
  std::set<std::string> seen;
  for (const Event& event : events_) {
    if (!seen.insert(event.type).second) {
      continue;
    }
    const bool ignored = is_ignored(event);
    for (const std::string& message : absurd) {
      Event replaced = event;
      replaced.message = message;
      EXPECT_EQ(decodes(replaced), ignored) << event.type << " " << message.substr(0, 20);
    }
  }
}

TEST_P(DamagedMessages, PaddedToHugeSizeDecodeToTheSame) {
  const std::string spaces(size_t{5} << 20, ' ');
  std::set<std::string> seen;
  for (const Event& event : events_) {
    if (!seen.insert(event.type).second) {
      continue;
    }
    Event padded = event;
    padded.message = spaces + event.message + spaces;
    EXPECT_EQ(to_text(decode(padded)), to_text(decode(event))) << event.type;
  }
}

INSTANTIATE_TEST_SUITE_P(AllRecordings, DamagedMessages, testing::ValuesIn(kRecordings),
                         [](const testing::TestParamInfo<std::string>& parameter) {
                           std::string name = parameter.param;
                           for (char& c : name) {
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace hmsync::processor
