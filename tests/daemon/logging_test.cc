// The log's lines: readable by people and by machines, whatever is in them.
#include "daemon/logging.h"

#include <gmock/gmock.h>
#include <simdjson.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

namespace hmsync::daemon {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;

struct CapturedLog {
  explicit CapturedLog(LogFormat format, LogLevel level = LogLevel::info)
      : log(
            level, format, [this](LogLevel l) { counted.push_back(l); },
            std::make_shared<spdlog::sinks::ostream_sink_mt>(text)) {}

  std::ostringstream text;
  std::vector<LogLevel> counted;
  Log log;
};

TEST(Logging, ATextLineHasTimeLevelMessageAndFields) {
  CapturedLog captured(LogFormat::text);
  captured.log.warn("event set aside", {{"event", int64_t{42}}, {"table", "a b"}, {"type", "X"}});
  EXPECT_THAT(captured.text.str(),
              MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z warn  event set "
                           "aside event=42 table=\"a b\" type=X\n"));
}

TEST(Logging, AJsonLineIsOneObjectWithTheFieldsAsMembers) {
  CapturedLog captured(LogFormat::json);
  captured.log.error("said \"no\" \\ \n", {{"event", int64_t{42}},
                                           {"ratio", 0.5},
                                           {"again", true},
                                           {"table", std::string("t\x01\t\xff\xc3\xa9")}});
  simdjson::dom::parser parser;
  const simdjson::padded_string line(captured.text.str());
  const simdjson::dom::element json = parser.parse(line);
  EXPECT_EQ(std::string_view(json["level"]), "error");
  EXPECT_EQ(std::string_view(json["message"]), "said \"no\" \\ \n");
  EXPECT_EQ(int64_t(json["event"]), 42);
  EXPECT_EQ(double(json["ratio"]), 0.5);
  EXPECT_EQ(bool(json["again"]), true);
  EXPECT_EQ(std::string_view(json["table"]), "t\x01\t\xef\xbf\xbd\xc3\xa9");
  EXPECT_THAT(std::string(std::string_view(json["time"])),
              MatchesRegex("20[0-9-]{8}T[0-9:.]{12}Z"));
}

TEST(Logging, AMessageCannotForgeALine) {
  CapturedLog captured(LogFormat::text);
  captured.log.info("a\nb {} %v \x1b[31m", {{"name", "c\nd"}});
  const std::string text = captured.text.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_THAT(text, testing::EndsWith("info  a\\nb {} %v \\u001b[31m name=c\\nd\n"));
}

TEST(Logging, TheLevelChangesWhileRunningAndOnlyWrittenLinesAreCounted) {
  CapturedLog captured(LogFormat::text, LogLevel::warn);
  captured.log.info("not written");
  captured.log.warn("written");
  captured.log.set_level(LogLevel::debug);
  captured.log.debug("written");
  captured.log.set_level(LogLevel::error);
  captured.log.warn("not written");
  captured.log.error("written");
  EXPECT_THAT(captured.counted, ElementsAre(LogLevel::warn, LogLevel::debug, LogLevel::error));
  EXPECT_EQ(captured.text.str().find("not written"), std::string::npos);
}

TEST(Logging, LevelsAreReadByTheNamesOfTheConfiguration) {
  for (const char* name : {"debug", "info", "warn", "error"}) {
    EXPECT_STREQ(to_string(log_level(name)), name);
  }
}

}  // namespace
}  // namespace hmsync::daemon
