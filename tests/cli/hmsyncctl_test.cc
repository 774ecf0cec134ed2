// The program itself against a scripted endpoint: exit statuses, what is asked, what is printed.
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <boost/json.hpp>
#include <concepts>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>

#include "tests/cli/scripted_server.h"
#include "tests/fixtures/child_process.h"

namespace hmsync::cli {
namespace {

using fixtures::CommandResult;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class HmsyncctlTest : public testing::Test {
 protected:
  HmsyncctlTest() {
    std::string pattern = testing::TempDir() + "hmsyncctl-XXXXXX";
    runtime_ = mkdtemp(pattern.data());
  }
  ~HmsyncctlTest() override { std::filesystem::remove_all(runtime_); }

  template <std::invocable<const SeenRequest&> Handler>
  void serve(Handler handler) {
    server_.reset();
    server_ = std::make_unique<ScriptedServer>(std::move(handler));
  }
  void serve(Reply reply) {
    serve([reply](const SeenRequest&) { return reply; });
  }

  /// Runs it against the server; its local tokens are looked for in our own folder too.
  CommandResult ctl(std::vector<std::string> words) {
    words.insert(words.begin(), HMSYNCCTL_PROGRAM);
    return fixtures::run({.arguments = std::move(words),
                          .environment = {{"HMSYNC_ADMIN", server_ ? server_->url() : kNobody},
                                          {"XDG_RUNTIME_DIR", runtime_.string()},
                                          {"RUNTIME_DIRECTORY", runtime_.string()}}});
  }

  /// What was asked last.
  SeenRequest last() const {
    return server_->seen().empty() ? SeenRequest{} : server_->seen().back();
  }

  void write_token(const std::string& file, const std::string& token) {
    std::ofstream(runtime_ / file) << token << '\n';
  }

  static constexpr const char* kNobody = "http://127.0.0.1:1";

  std::filesystem::path runtime_;
  std::unique_ptr<ScriptedServer> server_;
};

constexpr const char* kStatus =
    R"({"server":"s1","role":"leader","epoch":3,"cursor":40,"head":42,"lag_events":2,)"
    R"("lag_seconds":0.5,"phase":"following","snapshot":null,"quarantined":0,)"
    R"("suspended_grants":0,"metastore":{"uri":"thrift://m:9083","uuid":null,"version":"3.1.3"},)"
    R"("last_error":null,"version":"0.1.0","instance":"i1","leader":{"instance":"i1",)"
    R"("since":"2026-11-30T07:00:00Z"},"paused":null,"problems":[],"totals":{"applied":40}})";

TEST_F(HmsyncctlTest, StatusIsPassedOnAsJsonOrShownInColumns) {
  serve({.body = std::string(kStatus) + "\n"});
  const CommandResult json = ctl({"status", "--json"});
  EXPECT_EQ(json.exit, 0);
  EXPECT_EQ(json.out, std::string(kStatus) + "\n");
  EXPECT_EQ(json.err, "");
  EXPECT_EQ(last().method, "GET");
  EXPECT_EQ(last().target, "/v1/status");
  const CommandResult text = ctl({"status"});
  EXPECT_EQ(text.exit, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("role              leader, epoch 3\n"),
                              HasSubstr("lag               2 events, 0.5 seconds\n"),
                              HasSubstr("paused            no\n"), Not(HasSubstr("\x1b"))));
}

TEST_F(HmsyncctlTest, StatusCheckEndsWithFiveWhenThereIsAProblem) {
  serve({.body = R"({"problems":[]})"});
  EXPECT_EQ(ctl({"status", "--check"}).exit, 0);
  serve({.body = R"({"problems":[{"code":"metastore_unreachable","message":"it is away"}]})"});
  EXPECT_EQ(ctl({"status"}).exit, 0);
  const CommandResult checked = ctl({"status", "--check", "--json"});
  EXPECT_EQ(checked.exit, 5);
  EXPECT_THAT(checked.err, HasSubstr("problem metastore_unreachable: it is away"));
}

TEST_F(HmsyncctlTest, AnUnreachableDaemonIsStatusFour) {
  const CommandResult refused = ctl({"status", "--json"});
  EXPECT_EQ(refused.exit, 4);
  EXPECT_THAT(refused.err, HasSubstr("hmsyncd is not reached at http://127.0.0.1:1: Connection "
                                     "refused"));
  EXPECT_EQ(ctl({"--admin", "http://no-such-host.invalid:1", "export"}).exit, 4);
  EXPECT_EQ(ctl({"role", "create", "r"}).exit, 4);
  serve({.fault = Reply::Fault::no_answer});
  EXPECT_EQ(ctl({"status"}).exit, 4);
}

TEST_F(HmsyncctlTest, WrongUsageIsStatusTwoWithAReason) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"no-such-verb"},
                                             {"wait", "x"},
                                             {"--json", "grant", "r", "NO_SUCH_ACTION", "db"},
                                             {"--admin", "ftp://x", "status"},
                                             {"--admin", "http://h", "status"}}) {
    const CommandResult result = ctl(words);
    EXPECT_EQ(result.exit, 2) << testing::PrintToString(words);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, testing::StartsWith("hmsyncctl: "));
  }
}

TEST_F(HmsyncctlTest, AProblemsDetailIsTheReasonOnStandardError) {
  const auto problem = [](int status) {
    return Reply{.status = status,
                 .body = R"({"type":"about:blank","title":"No","status":409,)"
                         R"("detail":"role r exists already"})",
                 .content_type = "application/problem+json"};
  };
  for (const auto& [status, exit] :
       {std::pair{409, 1}, {400, 2}, {401, 1}, {403, 1}, {404, 1}, {503, 1}, {500, 1}}) {
    serve(problem(status));
    const CommandResult result = ctl({"role", "create", "r", "--json"});
    EXPECT_EQ(result.exit, exit) << status;
    EXPECT_THAT(result.err, HasSubstr("hmsyncctl: role r exists already")) << status;
    EXPECT_EQ(result.out, "");
  }
  serve({.status = 502, .body = "<html>"});
  EXPECT_THAT(ctl({"status"}).err, HasSubstr("HTTP status 502"));
}

TEST_F(HmsyncctlTest, AnAnswerThatIsNoJsonOrNoHttpIsAFailure) {
  serve({.body = "<html>"});
  EXPECT_EQ(ctl({"status"}).exit, 1);
  EXPECT_THAT(ctl({"status", "--json"}).err, HasSubstr("is not JSON"));
  serve({.fault = Reply::Fault::no_http});
  const CommandResult mail = ctl({"status"});
  EXPECT_EQ(mail.exit, 1);
  EXPECT_THAT(mail.err, HasSubstr("is not HTTP"));
}

TEST_F(HmsyncctlTest, ChangesCarryTheTokenOfTheFileThatIsNamed) {
  serve({.body = R"({"outcome":"done","changed":true})"});
  write_token("mine", "s3cret");
  const auto file = (runtime_ / "mine").string();
  EXPECT_EQ(ctl({"role", "create", "r", "--token-file", file}).exit, 0);
  EXPECT_EQ(last().authorization, "Bearer s3cret");
  serve({.body = kStatus});
  EXPECT_EQ(ctl({"--token-file", file, "status"}).exit, 0);
  EXPECT_EQ(last().authorization, "Bearer s3cret");
  const CommandResult missing = ctl({"role", "create", "r", "--token-file", "/no/such/file"});
  EXPECT_EQ(missing.exit, 1);
  EXPECT_THAT(missing.err, HasSubstr("/no/such/file cannot be read"));
}

TEST_F(HmsyncctlTest, TheLocalTokenIsFoundByPortForChangesOnly) {
  serve({.body = R"({"outcome":"done","changed":true})"});
  write_token("token-" + std::to_string(server_->port()), "local");
  write_token("token-1", "of another port");
  EXPECT_EQ(ctl({"role", "create", "r"}).exit, 0);
  EXPECT_EQ(last().authorization, "Bearer local");
  ctl({"status"});
  EXPECT_EQ(last().authorization, "");
}

TEST_F(HmsyncctlTest, WithoutATokenTheRefusalSaysWhereOneWouldComeFrom) {
  serve({.status = 401, .body = R"({"detail":"a token is needed"})"});
  const CommandResult result = ctl({"resume"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("a token is needed"), HasSubstr("--token-file")));
  EXPECT_EQ(last().authorization, "");
}

TEST_F(HmsyncctlTest, ALeftBehindTokenIsPassedOverWhenRefused) {
  serve([](const SeenRequest& request) {
    if (request.authorization == "Bearer good") return Reply{.body = "null"};
    return Reply{.status = 403, .body = R"({"detail":"unknown token"})"};
  });
  const std::string name = "token-" + std::to_string(server_->port());
  std::filesystem::create_directory(runtime_ / "hmsync");
  write_token("hmsync/" + name, "good");
  write_token(name, "stale");
  std::filesystem::last_write_time(
      runtime_ / "hmsync" / name,
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(ctl({"resume"}).exit, 0);
  EXPECT_EQ(server_->seen().size(), 2U);
}

TEST_F(HmsyncctlTest, WaitAsksForTheEventAndTellsWhenItIsReadable) {
  serve({.body = R"({"event":7,"reached":true,"cursor":9,"generation":1,"seconds":0.25})"});
  const CommandResult json = ctl({"wait", "7", "--timeout", "5s", "--json"});
  EXPECT_EQ(json.exit, 0);
  EXPECT_EQ(json.out, R"({"event":7,"reached":true,"cursor":9,"generation":1,"seconds":0.25})"
                      "\n");
  EXPECT_THAT(last().target,
              testing::MatchesRegex("/v1/wait\\?event=7&timeout_ms=(5000|4[0-9]{3})"));
  EXPECT_EQ(ctl({"wait", "7", "--timeout", "300d"}).exit, 0);
  EXPECT_EQ(last().target, "/v1/wait?event=7&timeout_ms=60000");
  EXPECT_EQ(ctl({"wait"}).out, "event 7 is readable, cursor 9\n");
  EXPECT_THAT(last().target, testing::StartsWith("/v1/wait?timeout_ms="));
}

TEST_F(HmsyncctlTest, WaitAsksAgainForTheSameEventWhenTheDaemonCutsTheWaitShort) {
  std::atomic<int> asked{0};
  serve([&asked](const SeenRequest&) {
    const bool reached = ++asked == 3;
    return Reply{.body = R"({"event":50,"reached":)" + std::string(reached ? "true" : "false") +
                         R"(,"cursor":50,"generation":1,"seconds":0.01})"};
  });
  const CommandResult result = ctl({"wait", "--json", "--timeout", "60s"});
  EXPECT_EQ(result.exit, 0);
  ASSERT_EQ(server_->seen().size(), 3U);
  EXPECT_THAT(server_->seen()[0].target, Not(HasSubstr("event=")));
  EXPECT_THAT(server_->seen()[1].target, HasSubstr("event=50&"));
  const auto answer = boost::json::parse(result.out).as_object();
  EXPECT_EQ(answer.at("event").as_int64(), 50);
  EXPECT_GE(answer.at("seconds").as_double(), 0.3);  // three questions, 200 ms apart
}

TEST_F(HmsyncctlTest, WaitTimesOutWithStatusThree) {
  serve({.body = R"({"event":50,"reached":false,"cursor":1,"generation":1,"seconds":0})"});
  const CommandResult result = ctl({"wait", "50", "--timeout", "500ms", "--json"});
  EXPECT_EQ(result.exit, 3);
  EXPECT_THAT(result.err, HasSubstr("timed out"));
  EXPECT_EQ(boost::json::parse(result.out).at("reached").as_bool(), false);
  EXPECT_GT(server_->seen().size(), 1U);
  EXPECT_LT(server_->seen().size(), 5U);
  EXPECT_EQ(ctl({"wait", "50", "--timeout", "0"}).exit, 3);
}

TEST_F(HmsyncctlTest, WaitOutlastsADaemonThatRestarts) {
  std::atomic<int> asked{0};
  serve([&asked](const SeenRequest&) {
    if (++asked == 1) return Reply{.fault = Reply::Fault::no_answer};
    if (asked == 2) return Reply{.body = R"({"event":)", .fault = Reply::Fault::cut_short};
    return Reply{.body = R"({"event":7,"reached":true,"cursor":7,"generation":1,"seconds":0})"};
  });
  const CommandResult result = ctl({"wait", "7", "--timeout", "60s"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.err, HasSubstr("trying again"));
  server_.reset();
  EXPECT_EQ(ctl({"wait", "7", "--timeout", "300ms"}).exit, 4);
}

TEST_F(HmsyncctlTest, WaitKeepsItsTimeAlthoughTheDaemonDoesNotAnswer) {
  std::promise<void> over;
  serve([answer = over.get_future().share()](const SeenRequest&) {
    answer.wait();
    return Reply{};
  });
  const auto begun = std::chrono::steady_clock::now();
  const CommandResult result = ctl({"wait", "7", "--timeout", "300ms"});
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(8));
  EXPECT_EQ(result.exit, 3);
  over.set_value();
}

TEST_F(HmsyncctlTest, WaitOutlastsADaemonWithoutItsStore) {
  const Reply away{.status = 503, .body = R"({"detail":"the store is away"})"};
  std::atomic<int> asked{0};
  serve([&](const SeenRequest&) {
    if (++asked < 3) return away;
    return Reply{.body = R"({"event":7,"reached":true,"cursor":7,"generation":1,"seconds":0})"};
  });
  EXPECT_EQ(ctl({"wait", "--timeout", "60s"}).exit, 0);
  serve(away);
  const CommandResult result = ctl({"wait", "--timeout", "300ms"});
  EXPECT_EQ(result.exit, 3);
  EXPECT_THAT(result.err, HasSubstr("the store is away"));
}

TEST_F(HmsyncctlTest, WaitFailsWhenTheHistoryIsResetMeanwhile) {
  serve({.status = 409, .body = R"({"detail":"the history was reset"})"});
  EXPECT_EQ(ctl({"wait", "7"}).exit, 1);
  std::atomic<int> asked{0};
  serve([&asked](const SeenRequest&) {
    return Reply{.body = R"({"event":7,"reached":false,"cursor":1,"seconds":0,"generation":)" +
                         std::to_string(++asked) + "}"};
  });
  const CommandResult result = ctl({"wait", "7", "--timeout", "60s"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_THAT(result.err, HasSubstr("reset"));
}

/// A daemon that finishes the request at the third look.
ScriptedServer::Handler resyncing(const std::string& end, std::atomic<int>& looks) {
  return [end, &looks](const SeenRequest& request) {
    if (request.method == "POST") return Reply{.status = 202, .body = R"({"id":12})"};
    if (++looks < 3) {
      return Reply{.body = R"({"id":12,"state":"pending","snapshot":{"phase":"tables","done":)" +
                           std::to_string(looks * 10) + R"(,"total":40}})"};
    }
    return Reply{.body = end};
  };
}

constexpr const char* kNoDifference =
    R"({"id":12,"state":"finished","snapshot":null,"scope":{},"dry_run":true,"outcome":"done",)"
    R"("reason":null,"event":40,"seconds":1.5,"difference":{)"
    R"("added":{"databases":0,"tables":0,"partitions":0},)"
    R"("changed":{"databases":0,"tables":0,"partitions":0},)"
    R"("removed":{"databases":0,"tables":0,"partitions":0},"suspended_grants":0}})";

std::string with_difference() {
  std::string text = kNoDifference;
  text.replace(text.find(R"("tables":0)"), 10, R"("tables":2)");
  return text;
}

TEST_F(HmsyncctlTest, ResyncFollowsItsRequestToTheEnd) {
  std::atomic<int> looks{0};
  serve(resyncing(kNoDifference, looks));
  const CommandResult json =
      ctl({"resync", "--database", "d", "--table", "t", "--dry-run", "--force", "--json"});
  EXPECT_EQ(json.exit, 0);
  EXPECT_EQ(json.out, std::string(kNoDifference) + "\n");
  EXPECT_EQ(json.err, "");
  EXPECT_EQ(boost::json::parse(server_->seen().front().body),
            boost::json::parse(R"({"database":"d","table":"t","dry_run":true,"force":true})"));
  EXPECT_EQ(last().target, "/v1/requests/12");
  looks = 0;
  const CommandResult text = ctl({"resync"});
  EXPECT_EQ(text.exit, 0);
  EXPECT_THAT(text.err, AllOf(HasSubstr("tables: 10 of 40"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(text.out, AllOf(HasSubstr("outcome           done\n"),
                              HasSubstr("added       0          0       0\n")));
}

TEST_F(HmsyncctlTest, ADifferenceIsStatusFiveOnlyWhenAskedFor) {
  std::atomic<int> looks{0};
  serve(resyncing(with_difference(), looks));
  EXPECT_EQ(ctl({"resync", "--dry-run"}).exit, 0);
  const CommandResult found = ctl({"resync", "--dry-run", "--exit-code", "--json"});
  EXPECT_EQ(found.exit, 5);
  EXPECT_THAT(found.err, HasSubstr("differs"));
  serve(resyncing(kNoDifference, looks));
  EXPECT_EQ(ctl({"resync", "--dry-run", "--exit-code"}).exit, 0);
}

TEST_F(HmsyncctlTest, ARefusedResyncIsStatusOneWithItsReason) {
  std::atomic<int> looks{0};
  serve(resyncing(R"({"id":12,"state":"finished","dry_run":false,"outcome":"refused",)"
                  R"("reason":"60% of the tables are gone","event":40,"difference":null})",
                  looks));
  const CommandResult result = ctl({"resync", "--json"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_THAT(result.err, HasSubstr("refused: 60% of the tables are gone"));
  EXPECT_EQ(boost::json::parse(result.out).at("outcome").as_string(), "refused");
}

TEST_F(HmsyncctlTest, ResyncNeedNotWait) {
  std::atomic<int> looks{0};
  serve(resyncing(kNoDifference, looks));
  EXPECT_EQ(ctl({"resync", "--no-wait", "--json"}).out, "{\"id\":12}\n");
  EXPECT_EQ(looks, 0);
}

TEST_F(HmsyncctlTest, PauseAndResumeSayWhoAndWhy) {
  const std::string paused =
      R"({"by":"local","since":"2026-11-30T07:00:00Z","until":null,"reason":"upgrade"})";
  serve({.body = paused});
  EXPECT_EQ(ctl({"pause", "--for", "1h", "--reason", "upgrade"}).out,
            "paused by local since 2026-11-30T07:00:00Z: upgrade\n");
  EXPECT_EQ(boost::json::parse(last().body),
            boost::json::parse(R"({"for_seconds":3600,"reason":"upgrade"})"));
  EXPECT_EQ(ctl({"resume", "--json"}).out, paused + "\n");
  EXPECT_EQ(last().target, "/v1/resume");
  serve({.body = "null"});
  EXPECT_EQ(ctl({"resume", "--json"}).out, "null\n");
  EXPECT_EQ(ctl({"resume"}).out, "was not paused\n");
}

TEST_F(HmsyncctlTest, OwnerPrintsTheObjectOrNullWithStatusOne) {
  serve({.body = R"({"path":"/w/a b/x","kind":"database","database":"d"})"});
  const CommandResult owned = ctl({"owner", "/w/a b/x?=%&+", "--json"});
  EXPECT_EQ(owned.exit, 0);
  EXPECT_EQ(last().target, "/v1/owner?path=%2Fw%2Fa%20b%2Fx%3F%3D%25%26%2B");
  EXPECT_EQ(ctl({"owner", "/w"}).out, "path      /w/a b/x\nkind      database\ndatabase  d\n");
  serve({.body = "null"});
  for (const bool json : {true, false}) {
    const CommandResult none = ctl(json ? std::vector<std::string>{"owner", "/x", "--json"}
                                        : std::vector<std::string>{"owner", "/x"});
    EXPECT_EQ(none.exit, 1);
    EXPECT_EQ(none.out, "null\n");
    EXPECT_THAT(none.err, HasSubstr("nothing owns /x"));
  }
}

TEST_F(HmsyncctlTest, ListsPrintOneObjectALine) {
  const std::string lines =
      "{\"kind\":\"role\",\"role\":\"a\"}\n{\"kind\":\"role\",\"role\":\"b\"}\n";
  serve({.body = lines, .content_type = "application/x-ndjson"});
  for (const auto& [words, target] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"export"}, "/v1/export"},
           {{"role", "list"}, "/v1/roles"},
           {{"objects", "--database", "d.d", "--table", "t"}, "/v1/objects?database=d.d&table=t"},
           {{"paths", "--prefix", "/a&b"}, "/v1/paths?prefix=%2Fa%26b"},
           {{"grants", "--role", "r", "--database", "d", "--suspended"},
            "/v1/grants?role=r&database=d&suspended=true"},
           {{"quarantine"}, "/v1/quarantine"},
           {{"quarantine", "list"}, "/v1/quarantine"},
           {{"suspended", "list"}, "/v1/suspended"},
           {{"audit"}, "/v1/audit"},
           {{"audit", "--since", "2026-11-30T08:00:00+01:00"},
            "/v1/audit?since=2026-11-30T08%3A00%3A00%2B01%3A00"}}) {
    std::vector<std::string> with_json = words;
    with_json.emplace_back("--json");
    const CommandResult result = ctl(with_json);
    EXPECT_EQ(result.exit, 0);
    EXPECT_EQ(result.out, lines);
    EXPECT_EQ(last().target, target);
  }
  EXPECT_EQ(ctl({"role", "list"}).out, "role\na\nb\n");
  EXPECT_EQ(ctl({"export"}).out, lines);
}

TEST_F(HmsyncctlTest, ALongListArrivesWholeAndACutOneIsAFailure) {
  std::string lines;
  for (int i = 0; i < 200'000; ++i) lines += "{\"number\":" + std::to_string(i) + "}\n";
  serve({.body = lines, .content_type = "application/x-ndjson"});
  EXPECT_TRUE(ctl({"export", "--json"}).out == lines);
  serve({.body = "{\"a\":1}\n{\"a\":", .fault = Reply::Fault::cut_short});
  const CommandResult cut = ctl({"export"});
  EXPECT_EQ(cut.exit, 1);
  EXPECT_EQ(cut.out, "{\"a\":1}\n");
  EXPECT_THAT(cut.err, HasSubstr("broke off"));
}

TEST_F(HmsyncctlTest, AFullDiskIsNoCompleteExport) {
  serve({.body = "{\"a\":1}\n"});
  const CommandResult full =
      fixtures::run({.arguments = {"sh", "-c", "exec " HMSYNCCTL_PROGRAM " export > /dev/full"},
                     .environment = {{"HMSYNC_ADMIN", server_->url()}}});
  EXPECT_EQ(full.exit, 1);
  EXPECT_THAT(full.err, HasSubstr("cannot be written"));
}

TEST_F(HmsyncctlTest, RolesAreChangedByMethodAndPath) {
  serve({.body = R"({"outcome":"done","changed":true})"});
  const auto asked = [this](std::vector<std::string> words) {
    const CommandResult result = ctl(std::move(words));
    EXPECT_EQ(result.exit, 0);
    EXPECT_EQ(result.out, "done\n");
    return last().method + " " + last().target + " " + last().body;
  };
  EXPECT_EQ(asked({"role", "create", "a/b"}), R"(POST /v1/roles {"role":"a/b"})");
  EXPECT_EQ(asked({"role", "drop", "a/b"}), "DELETE /v1/roles/a%2Fb ");
  EXPECT_EQ(asked({"role", "add", "r", "--group", "g"}),
            R"(POST /v1/roles/r/members {"group":"g"})");
  EXPECT_EQ(asked({"role", "add", "r", "--user", "u"}), R"(POST /v1/roles/r/members {"user":"u"})");
  EXPECT_EQ(asked({"role", "remove", "r", "--user", "u v"}),
            "DELETE /v1/roles/r/members?user=u%20v ");
}

TEST_F(HmsyncctlTest, AQuarantinedEventIsShownWhole) {
  const std::string event =
      R"({"event":7,"type":"CREATE_TABLE","reason":"no JSON","encoding":"text",)"
      R"("message":"{\"a\":\u0000","same_id":[{"event":7,"message":"other"}]})";
  serve({.body = event});
  EXPECT_EQ(ctl({"quarantine", "show", "7", "--json"}).out, event + "\n");
  EXPECT_EQ(last().target, "/v1/quarantine/7");
  EXPECT_EQ(ctl({"quarantine", "show", "7"}).out,
            "event     7\ntype      CREATE_TABLE\nreason    no JSON\nencoding  text\n\n"
            "{\"a\":\\x00\n\nevent  7\n\nother\n");
}

TEST_F(HmsyncctlTest, ARetryFollowsItsRequestToTheEnd) {
  std::atomic<int> looks{0};
  const std::string done =
      R"({"id":12,"state":"finished","event":7,"outcome":"done","reason":null})";
  serve(resyncing(done, looks));
  const CommandResult json = ctl({"quarantine", "retry", "7", "--json"});
  EXPECT_EQ(json.exit, 0);
  EXPECT_EQ(json.out, done + "\n");
  EXPECT_EQ(server_->seen().front().target, "/v1/quarantine/7/retry");
  EXPECT_EQ(last().target, "/v1/requests/12");
  looks = 0;
  serve(resyncing(R"({"id":12,"state":"finished","event":7,"outcome":"failed",)"
                  R"("reason":"the message is not JSON"})",
                  looks));
  const CommandResult failed = ctl({"quarantine", "retry", "7"});
  EXPECT_EQ(failed.exit, 1);
  EXPECT_THAT(failed.err, HasSubstr("failed: the message is not JSON"));
  looks = 0;
  EXPECT_EQ(ctl({"quarantine", "retry", "7", "--no-wait", "--json"}).out, "{\"id\":12}\n");
  EXPECT_EQ(looks, 0);
}

TEST_F(HmsyncctlTest, ASkipSaysWhetherTheEventStillWaited) {
  serve({.body = R"({"event":7,"outcome":"done","changed":true})"});
  EXPECT_EQ(ctl({"quarantine", "skip", "7"}).out, "skipped\n");
  EXPECT_EQ(last().method + " " + last().target, "POST /v1/quarantine/7/skip");
  serve({.body = R"({"event":7,"outcome":"done","changed":false})"});
  EXPECT_EQ(ctl({"quarantine", "skip", "7"}).out, "done, it did not wait in quarantine any more\n");
}

TEST_F(HmsyncctlTest, SuspendedGrantsAreRestoredAndPurgedByIdOrAll) {
  serve({.body = R"({"outcome":"done","changed":true,"count":2,"refused":[]})"});
  const auto sent = [this](const std::vector<std::string>& words) {
    EXPECT_EQ(ctl(words).exit, 0);
    return last().target + " " + last().body;
  };
  EXPECT_EQ(sent({"suspended", "restore", "12", "13"}),
            R"(/v1/suspended/restore {"ids":[12,13],"force":false})");
  EXPECT_EQ(sent({"suspended", "restore", "--all", "--force"}),
            R"(/v1/suspended/restore {"all":true,"force":true})");
  EXPECT_EQ(sent({"suspended", "purge", "--all"}), R"(/v1/suspended/purge {"all":true})");
  EXPECT_EQ(ctl({"suspended", "purge", "12"}).out, "2 grants purged\n");
}

TEST_F(HmsyncctlTest, AGrantThatStaysSuspendedIsStatusOneWithItsReason) {
  const std::string answer = R"({"outcome":"refused","changed":true,"count":1,)"
                             R"("refused":[{"id":13,"reason":"another object has the name now"}]})";
  serve({.body = answer});
  const CommandResult text = ctl({"suspended", "restore", "12", "13"});
  EXPECT_EQ(text.exit, 1);
  EXPECT_EQ(text.out, "1 grant restored\n");
  EXPECT_EQ(text.err, "hmsyncctl: grant 13: another object has the name now\n");
  const CommandResult json = ctl({"suspended", "restore", "12", "13", "--json"});
  EXPECT_EQ(json.exit, 1);
  EXPECT_EQ(json.out, answer + "\n");
}

TEST_F(HmsyncctlTest, TheAuditIsShownWithoutWholeObjects) {
  serve({.body = R"({"time":"2026-11-30T08:00:00.000Z","who":"local","action":"skip","object":"s",)"
                 R"("event":7,"before":{"a":1},"after":null,"outcome":"done"})"
                 "\n",
         .content_type = "application/x-ndjson"});
  EXPECT_EQ(ctl({"audit"}).out,
            "time                      who    action  object  event  outcome\n"
            "2026-11-30T08:00:00.000Z  local  skip    s       7      done\n");
}

TEST_F(HmsyncctlTest, GrantAndRevokeSendTheObject) {
  serve({.body = R"({"outcome":"done","changed":true,"repeat_at_event":-1})"});
  const auto sent = [this](const std::vector<std::string>& words) {
    EXPECT_EQ(ctl(words).exit, 0);
    return last().target + " " + last().body;
  };
  EXPECT_EQ(sent({"grant", "r", "SELECT", "d.t.c", "--grant-option"}),
            R"(/v1/grants {"role":"r","action":"SELECT","database":"d","table":"t","column":"c",)"
            R"("grant_option":true})");
  EXPECT_EQ(sent({"grant", "r", "ALL", "server"}),
            R"(/v1/grants {"role":"r","action":"ALL","grant_option":false})");
  EXPECT_EQ(sent({"revoke", "r", "all", "file:/x"}),
            R"(/v1/revokes {"role":"r","action":"ALL","uri":"file:/x"})");
  EXPECT_EQ(sent({"revoke", "r", "ALL", "--catalog", "c", "--database", "a.b"}),
            R"(/v1/revokes {"role":"r","action":"ALL","catalog":"c","database":"a.b"})");
  EXPECT_THAT(ctl({"revoke", "r", "ALL", "d"}).out, HasSubstr("as soon as that is known"));
  serve({.body = R"({"outcome":"done","changed":false,"repeat_at_event":77})"});
  EXPECT_THAT(ctl({"revoke", "r", "ALL", "d"}).out,
              testing::StartsWith("done, nothing was to be changed; repeated at event 77"));
  serve({.body = R"({"outcome":"refused","reason":"no such table","changed":false})"});
  const CommandResult refused = ctl({"grant", "r", "ALL", "d.t", "--json"});
  EXPECT_EQ(refused.exit, 1);
  EXPECT_THAT(refused.err, HasSubstr("refused: no such table"));
}

}  // namespace
}  // namespace hmsync::cli
