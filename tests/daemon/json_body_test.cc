#include "daemon/json_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/http_message.h"

namespace hmsync::daemon {
namespace {

using ::testing::HasSubstr;

template <typename Read>
std::string refusal(const Read& read) {
  try {
    read();
  } catch (const HttpProblem& problem) {
    EXPECT_EQ(problem.status(), 400);
    return problem.what();
  }
  return "";
}

TEST(JsonBody, ReadsTextsFlagsAndNumbers) {
  const JsonBody body(R"({"role":"analyst","grant_option":true,"for_seconds":60,"table":null})",
                      {"role", "grant_option", "for_seconds", "table"});
  EXPECT_EQ(body.required_text("role"), "analyst");
  EXPECT_TRUE(body.flag("grant_option"));
  EXPECT_EQ(body.integer("for_seconds"), 60);
  EXPECT_EQ(body.text("table"), std::nullopt);
}

TEST(JsonBody, ReadsListsOfNumbers) {
  const JsonBody body(R"({"ids":[12,-1],"none":[]})", {"ids", "none", "absent"});
  EXPECT_EQ(body.integers("ids"), (std::vector<int64_t>{12, -1}));
  EXPECT_EQ(body.integers("none"), std::vector<int64_t>());
  EXPECT_EQ(body.integers("absent"), std::nullopt);
  for (const char* text : {R"({"ids":["1"]})", R"({"ids":[1.5]})", R"({"ids":[[1]]})",
                           R"({"ids":7})", R"({"ids":{}})"}) {
    EXPECT_THAT(refusal([&] { (void)JsonBody(text, {"ids"}).integers("ids"); }), HasSubstr("`ids`"))
        << text;
  }
}

TEST(JsonBody, TakesAnEmptyBodyForAnEmptyObject) {
  const JsonBody body("", {"reason"});
  EXPECT_EQ(body.text("reason"), std::nullopt);
  EXPECT_FALSE(body.flag("dry_run"));
}

TEST(JsonBody, RefusesWhatIsNoObject) {
  for (const char* text : {"[]", "3", "{", "{\"role\":}", "\xFF", "nonsense", "{} {}"}) {
    EXPECT_NE(refusal([&] { const JsonBody body(text, {"role"}); }), "") << text;
  }
}

TEST(JsonBody, NamesAnUnknownFieldAndWhatIsKnown) {
  const std::string text = refusal([] {
    const JsonBody body(R"({"rol":"x"})", {"role", "action"});
  });
  EXPECT_THAT(text, HasSubstr("`rol`"));
  EXPECT_THAT(text, HasSubstr("role, action"));
}

TEST(JsonBody, RefusesValuesOfAnotherType) {
  const JsonBody body(R"({"role":5,"flag":"yes","number":"7","empty":"","zero":"a\u0000b"})",
                      {"role", "flag", "number", "empty", "zero", "absent"});
  EXPECT_THAT(refusal([&] { (void)body.text("role"); }), HasSubstr("`role`"));
  EXPECT_THAT(refusal([&] { (void)body.flag("flag"); }), HasSubstr("`flag`"));
  EXPECT_THAT(refusal([&] { (void)body.integer("number"); }), HasSubstr("`number`"));
  EXPECT_THAT(refusal([&] { (void)body.text("empty"); }), HasSubstr("`empty`"));
  EXPECT_THAT(refusal([&] { (void)body.text("zero"); }), HasSubstr("`zero`"));
  EXPECT_THAT(refusal([&] { (void)body.required_text("absent"); }), HasSubstr("`absent`"));
  EXPECT_NE(refusal([] { const JsonBody list(R"({"role":["x"]})", {"role"}); }), "");
}

}  // namespace
}  // namespace hmsync::daemon
