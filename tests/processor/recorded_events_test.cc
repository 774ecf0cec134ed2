#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <ostream>

#include "tests/processor/change_text.h"
#include "tests/processor/recorded_events.h"
#include "tests/processor/recorded_expectations.h"

namespace hmsync::processor {
namespace {

struct Recording {
  std::string name;
  int version;  // which alternative of an expectation is this recording's
  size_t events;
};

void PrintTo(const Recording& recording, std::ostream* out) { *out << recording.name; }

const std::vector<Recording> kAll = {{"2.3.10-json", 0, 115},
                                     {"3.1.3-json", 1, 147},
                                     {"4.0.1-json", 2, 151},
                                     {"4.0.1-gzip", 2, 151}};

std::string alternative(const std::string& text, int version) {
  std::string rest = text;
  for (int i = 0; i < version; ++i) {
    rest.erase(0, rest.find('|') + 1);
  }
  return rest.substr(0, rest.find('|'));
}

// Replaces `<a|b|c>` by the version's alternative.
std::string for_version(std::string text, int version) {
  size_t open = text.find('<');
  while (open != std::string::npos) {
    const size_t close = text.find('>', open);
    const std::string chosen = alternative(text.substr(open + 1, close - open - 1), version);
    text.replace(open, close - open + 1, chosen);
    open = text.find('<', open + chosen.size());
  }
  return text;
}

// Replaces `@N` by the time of event N.
std::string with_times(std::string text, const std::vector<Event>& events) {
  size_t at = text.find('@');
  while (at != std::string::npos) {
    size_t end = at + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
      ++end;
    }
    if (end > at + 1) {
      const auto id = std::stoul(text.substr(at + 1, end - at - 1));
      text.replace(at, end - at, std::to_string(events.at(id - 1).time));
    }
    at = text.find('@', at + 1);
  }
  return text;
}

std::map<int64_t, std::string> expected(const Recording& recording,
                                        const std::vector<Event>& events) {
  std::map<int64_t, std::string> changes;
  for (const auto& part : {expected_databases_and_tables(), expected_partitions(),
                           expected_names_and_locations(), expected_ignored()}) {
    for (const Expectation& expectation : part) {
      const std::string id = alternative(expectation.event, recording.version);
      if (id == "-") {
        continue;
      }
      const std::string change =
          with_times(for_version(expectation.change, recording.version), events);
      const bool added = changes.emplace(std::stoll(id), change).second;
      EXPECT_TRUE(added) << recording.name << ": two expectations for event " << id;
    }
  }
  return changes;
}

class RecordedEvents : public testing::TestWithParam<Recording> {};

TEST_P(RecordedEvents, EachDecodesToWhatWasWrittenDownByHand) {
  const std::vector<Event> events = recorded_events(GetParam().name);
  ASSERT_EQ(events.size(), GetParam().events);
  const std::map<int64_t, std::string> changes = expected(GetParam(), events);
  for (const Event& event : events) {
    const auto found = changes.find(event.id);
    ASSERT_NE(found, changes.end()) << "no expectation for event " << event.id;
    EXPECT_EQ(to_text(decode(event)), found->second) << "event " << event.id << " " << event.type;
  }
}

TEST_P(RecordedEvents, EachExpectationHasItsEvent) {
  const std::vector<Event> events = recorded_events(GetParam().name);
  const std::map<int64_t, std::string> changes = expected(GetParam(), events);
  EXPECT_EQ(changes.size(), events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].id, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(changes.count(events[i].id), 1U) << "event " << events[i].id;
  }
}

INSTANTIATE_TEST_SUITE_P(AllRecordings, RecordedEvents, testing::ValuesIn(kAll),
                         [](const testing::TestParamInfo<Recording>& parameter) {
                           std::string name = parameter.param.name;
                           for (char& c : name) {
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace hmsync::processor
