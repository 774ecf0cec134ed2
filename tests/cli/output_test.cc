// What people see: aligned columns, colour on terminals only, names that cannot play with them.
#include "cli/output.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <sstream>

#include "cli/progress.h"

namespace hmsync::cli {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

struct Captured {
  std::ostringstream out, err;
};

std::string table(const std::vector<std::string>& rows, bool colour = false) {
  Captured captured;
  const Output output{.out = captured.out, .err = captured.err, .out_colour = colour};
  Table printed(output);
  for (const std::string& row : rows) printed.add(boost::json::parse(row).as_object());
  printed.finish();
  return captured.out.str();
}

TEST(OutputTest, ColumnsAreAlignedAndNullsShown) {
  EXPECT_EQ(table({R"({"kind":"role","role":"a","groups":["g1","g2"],"users":[]})",
                   R"({"kind":"role","role":"größer","groups":null,"users":["u"]})"}),
            "role    groups  users\n"
            "a       g1,g2   -\n"
            "größer  -       u\n");
}

TEST(OutputTest, RowsOfSeveralKindsShareTheColumns) {
  EXPECT_EQ(table({R"({"kind":"database","server":"s","database":"d"})",
                   R"({"kind":"table","server":"s","database":"d","table":"t"})"}),
            "kind      database  table\n"
            "database  d         -\n"
            "table     d         t\n");
}

TEST(OutputTest, NothingIsPrintedForNoRows) { EXPECT_EQ(table({}), ""); }

TEST(OutputTest, ALongListKeepsTheWidthsOfItsFirstRows) {
  std::vector<std::string> rows(1000, R"({"a":"x","b":1})");
  rows.emplace_back(R"({"a":"much longer","b":2})");
  rows.emplace_back(R"({"a":"y","b":3.5})");
  const std::string text = table(rows);
  EXPECT_THAT(text, testing::EndsWith("\nx  1\nmuch longer  2\ny  3.5\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1003);
}

TEST(OutputTest, OnlyTheHeadIsBoldAndOnlyOnATerminal) {
  EXPECT_EQ(table({R"({"a":1})"}, true), "\x1b[1ma\x1b[0m\n1\n");
  EXPECT_EQ(table({R"({"a":1})"}, false), "a\n1\n");
}

TEST(OutputTest, ControlCharactersOfNamesAreMadeVisible) {
  EXPECT_EQ(table({R"({"table":"a\u001b[31m\nb"})"}), "table\na\\x1b[31m\\x0ab\n");
}

TEST(OutputTest, PairsAreAligned) {
  Captured captured;
  print_pairs({.out = captured.out, .err = captured.err}, {{"a", "1"}, {"long", "2"}});
  EXPECT_EQ(captured.out.str(), "a     1\nlong  2\n");
}

TEST(ProgressTest, ATerminalSeesABarWithRateAndEstimate) {
  Captured captured;
  const Output output{.out = captured.out, .err = captured.err, .err_terminal = true};
  {
    Progress progress(output);
    const Progress::Time start{};
    const auto at = [](int done) {
      return boost::json::value{{"phase", "tables"}, {"done", done}, {"total", 400}};
    };
    progress.show(nullptr, start);
    EXPECT_EQ(captured.err.str(), "");
    progress.show(at(0), start);
    progress.show(at(100), start + seconds(10));
    EXPECT_THAT(captured.err.str(),
                testing::EndsWith("\r\x1b[Ktables [#######.......................] 25% 100 of 400, "
                                  "10 a second, about 30 s left"));
  }
  EXPECT_THAT(captured.err.str(), testing::EndsWith("left\r\x1b[K"));
}

TEST(ProgressTest, ElsewhereALineNowAndThenIsPrinted) {
  Captured captured;
  const Output output{.out = captured.out, .err = captured.err};
  Progress progress(output);
  const Progress::Time start{seconds(1000)};
  for (int i = 0; i <= 12; ++i) {
    progress.show({{"phase", "tables"}, {"done", i * 10}, {"total", 200}}, start + seconds(i));
  }
  progress.show({{"phase", "partitions"}, {"done", 0}, {"total", 0}}, start + seconds(13));
  EXPECT_EQ(captured.err.str(),
            "tables: 0 of 200\ntables: 100 of 200, 10 a second, about 10 s left\npartitions: 0\n");
}

}  // namespace
}  // namespace hmsync::cli
