#include "metrics/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <thread>

#include "tests/metrics/samples.h"

namespace hmsync::metrics {
namespace {

using ::testing::HasSubstr;

TEST(Exposition, WritesHelpTypeAndValueOfASeries) {
  Exposition exposition("server1");
  exposition.counter("a_total", "What it counts.", {{"kind", "x"}}).Increment(3);
  EXPECT_EQ(exposition.text(),
            "# HELP a_total What it counts.\n"
            "# TYPE a_total counter\n"
            "a_total{server=\"server1\",kind=\"x\"} 3\n");
}

TEST(Exposition, FamiliesAndTheirSeriesComeInOrder) {
  Exposition exposition("s");
  exposition.gauge("b", "B", {{"k", "2"}});
  exposition.gauge("b", "B", {{"k", "1"}});
  exposition.counter("a", "A");
  const std::string text = exposition.text();
  EXPECT_LT(text.find("\na{"), text.find("\nb{"));
  EXPECT_LT(text.find("k=\"1\""), text.find("k=\"2\""));
}

TEST(Exposition, HostileServerNameIsEscaped) {
  Exposition exposition("a\"b\\c\nd");
  exposition.gauge("g", "G");
  EXPECT_THAT(exposition.text(), HasSubstr("g{server=\"a\\\"b\\\\c\\nd\"} 0\n"));
}

TEST(Exposition, LargeEventIdsAreWrittenWhole) {
  Exposition exposition("s");
  exposition.gauge("g", "G").Set(9'007'199'254'740'991.0);
  EXPECT_THAT(exposition.text(), HasSubstr("} 9007199254740991\n"));
}

TEST(Exposition, RefreshesRunBeforeEachText) {
  Exposition exposition("s");
  auto& gauge = exposition.gauge("g", "G");
  exposition.at_scrape([&gauge] { gauge.Increment(); });
  EXPECT_THAT(exposition.text(), HasSubstr("g{server=\"s\"} 1\n"));
  EXPECT_THAT(exposition.text(), HasSubstr("g{server=\"s\"} 2\n"));
}

TEST(Exposition, TextMayBeAskedForWhileProbesCount) {
  Exposition exposition("s");
  CounterFamily family(exposition, "c_total", "C", "k", {"x"});
  std::thread counting([&] {
    for (int i = 0; i < 10000; ++i) family.add("x");
  });
  std::string text;
  for (int i = 0; i < 50; ++i) text = exposition.text();
  counting.join();
  EXPECT_EQ(samples(exposition.text()).at("c_total{server=\"s\",k=\"x\"}"), "10000");
}

TEST(CounterFamily, UnknownValuesCountAsOtherAndMakeNoSeries) {
  Exposition exposition("s");
  CounterFamily family(exposition, "c_total", "C", "type", {"A", "B"});
  family.add("A", 2);
  family.add("unheard of");
  family.add("another");
  const std::map<std::string, std::string> expected{
      {"c_total{server=\"s\",type=\"A\"}", "2"},
      {"c_total{server=\"s\",type=\"B\"}", "0"},
      {"c_total{server=\"s\",type=\"other\"}", "2"},
  };
  EXPECT_EQ(samples(exposition.text()), expected);
}

}  // namespace
}  // namespace hmsync::metrics
