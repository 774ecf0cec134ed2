#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <thread>

#include "cli/verbs.h"

namespace hmsync::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPauseBetweenTries{200};
/// In one question; the daemon refuses to be asked for much more.
constexpr milliseconds kLongestQuestion{60'000};
/// How much longer than asked an answer to a wait may take.
constexpr milliseconds kWaitSlack{1'000};

std::string text_of(const boost::json::value& value, std::string_view name) {
  return cell(member(value, name));
}

std::string snapshot_text(const boost::json::value& snapshot) {
  if (snapshot.is_null()) return "none running";
  return text_of(snapshot, "phase") + ", " + text_of(snapshot, "done") + " of " +
         text_of(snapshot, "total");
}

std::string pause_text(const boost::json::value& pause) {
  if (pause.is_null()) return "no";
  std::string text = "by " + text_of(pause, "by") + " since " + text_of(pause, "since");
  if (!member(pause, "until").is_null()) text += " until " + text_of(pause, "until");
  if (!member(pause, "reason").is_null()) text += ": " + text_of(pause, "reason");
  return text;
}

void print_status(const boost::json::value& status, const Output& output) {
  const auto& metastore = member(status, "metastore");
  const auto& leader = member(status, "leader");
  const auto& error = member(status, "last_error");
  const auto& totals = member(status, "totals");
  std::string counts;
  if (const auto* object = totals.if_object()) {
    for (const auto& total : *object) {
      counts += (counts.empty() ? "" : ", ") + std::string(total.key()) + " " + cell(total.value());
    }
  }
  print_pairs(
      output,
      {{"server", text_of(status, "server")},
       {"role", text_of(status, "role") + ", epoch " + text_of(status, "epoch")},
       {"leader", leader.is_null()
                      ? "none"
                      : text_of(leader, "instance") + " since " + text_of(leader, "since")},
       {"phase", text_of(status, "phase")},
       {"cursor", text_of(status, "cursor")},
       {"head", text_of(status, "head")},
       {"lag",
        text_of(status, "lag_events") + " events, " + text_of(status, "lag_seconds") + " seconds"},
       {"snapshot", snapshot_text(member(status, "snapshot"))},
       {"paused", pause_text(member(status, "paused"))},
       {"quarantined", text_of(status, "quarantined")},
       {"suspended grants", text_of(status, "suspended_grants")},
       {"totals", counts.empty() ? "-" : counts},
       {"metastore", text_of(metastore, "uri") + ", version " + text_of(metastore, "version") +
                         ", uuid " + text_of(metastore, "uuid")},
       {"last error",
        error.is_null() ? "none" : text_of(error, "time") + " " + text_of(error, "message")},
       {"version", text_of(status, "version") + ", instance " + text_of(status, "instance")}});
  const auto* problems = member(status, "problems").if_array();
  if (problems == nullptr || problems->empty()) return;
  output.out << '\n';
  Table table(output);
  for (const auto& problem : *problems) {
    if (const auto* row = problem.if_object()) table.add(*row);
  }
  table.finish();
}

/// Asks again until the event is readable or the time is over: the daemon may cut a wait short, or
/// restart meanwhile.
class Wait {
 public:
  Wait(const WaitCommand& command, const DaemonClient& daemon, const Output& output)
      : daemon_(daemon), output_(output), event_(command.event), timeout_(command.timeout) {}

  Exit run() {
    while (true) {
      const auto asked = Clock::now();
      const bool over = ask();
      if (over || left() <= milliseconds(0)) return end();
      // An answer far before its time must not become a storm of questions.
      std::this_thread::sleep_until(
          std::min(asked + kPauseBetweenTries, start_ + Clock::duration(timeout_)));
    }
  }

 private:
  [[nodiscard]] milliseconds left() const {
    return timeout_ - std::chrono::duration_cast<milliseconds>(Clock::now() - start_);
  }

  /// True when there is nothing more to wait for.
  bool ask() {
    Query query{{"event", std::nullopt}, {"timeout_ms", std::nullopt}};
    if (event_) query[0].second = std::to_string(*event_);
    const milliseconds time = std::clamp(left(), milliseconds(0), kLongestQuestion);
    query[1].second = std::to_string(time.count());
    try {
      answer_ = daemon_.get("/v1/wait", query, time + kWaitSlack);
    } catch (const NoAnswerInTime& error) {
      lost(error);
      lost_exit_ = Exit::timed_out;
      return false;
    } catch (const Unreachable& error) {
      lost(error);
      return false;
    } catch (const Unavailable& error) {
      lost(error);
      lost_exit_ = Exit::timed_out;
      return false;
    } catch (const BrokenAnswer& error) {
      lost(error);
      return false;
    }
    lost_.clear();
    ++answers_;
    // "The head now" is that of the first question; a later one would run after a moving head.
    if (const auto* event = member(answer_.value, "event").if_int64()) event_ = *event;
    const auto* generation = member(answer_.value, "generation").if_int64();
    if (generation != nullptr && generation_ && *generation != *generation_) {
      throw Failure(Exit::failed, "the metastore's history was reset meanwhile: event " +
                                      (event_ ? std::to_string(*event_) : "ids") +
                                      " means nothing any more");
    }
    if (generation != nullptr) generation_ = *generation;
    const auto* reached = member(answer_.value, "reached").if_bool();
    return reached != nullptr && *reached;
  }

  void lost(const std::exception& error) {
    if (lost_.empty() && left() > milliseconds(0)) {
      output_.err << "hmsyncctl: " << error.what() << "; trying again\n" << std::flush;
    }
    lost_ = error.what();
    lost_exit_ = Exit::unreachable;
  }

  Exit end() {
    if (!lost_.empty()) throw Failure(lost_exit_, lost_);
    const bool reached = member(answer_.value, "reached") == boost::json::value(true);
    const bool told = !member(answer_.value, "event").is_null();
    if (output_.json) {
      output_.out << with_own_seconds() << '\n';
    } else if (told) {
      output_.out << "event " << text_of(answer_.value, "event")
                  << (reached ? " is readable" : " is not readable yet") << ", cursor "
                  << text_of(answer_.value, "cursor") << '\n';
    }
    if (reached) return Exit::done;
    output_.err << "hmsyncctl: timed out: "
                << (told ? "event " + text_of(answer_.value, "event") + " is not readable yet"
                         : "the metastore did not tell its newest event")
                << '\n';
    return Exit::timed_out;
  }

  /// The daemon's `seconds` are those of the last question; they are ours when there were several.
  [[nodiscard]] std::string with_own_seconds() const {
    if (answers_ < 2 || !answer_.value.is_object()) return answer_.text;
    boost::json::object object = answer_.value.as_object();
    object.erase("seconds");
    std::string text = boost::json::serialize(object);
    text.pop_back();
    const auto taken = std::chrono::duration_cast<milliseconds>(Clock::now() - start_).count();
    std::string fraction = std::to_string(taken % 1000);
    fraction.insert(0, 3 - fraction.size(), '0');
    return text + (object.empty() ? "" : ",") + "\"seconds\":" + std::to_string(taken / 1000) +
           "." + fraction + "}";
  }

  const DaemonClient& daemon_;
  const Output& output_;
  std::optional<int64_t> event_;
  milliseconds timeout_;
  Clock::time_point start_ = Clock::now();
  std::optional<int64_t> generation_;
  Answer answer_;
  int answers_ = 0;
  std::string lost_;  ///< why the last question had no answer
  Exit lost_exit_ = Exit::unreachable;
};

}  // namespace

Exit run(const StatusCommand& command, const DaemonClient& daemon, const Output& output) {
  const Answer answer = daemon.get("/v1/status");
  if (output.json) {
    output.out << answer.text << '\n';
  } else {
    print_status(answer.value, output);
  }
  if (!command.check) return Exit::done;
  const auto* problems = member(answer.value, "problems").if_array();
  if (problems == nullptr) throw Failure(Exit::failed, "hmsyncd's answer has no list of problems");
  for (const auto& problem : *problems) {
    output.err << "hmsyncctl: problem " << text_of(problem, "code") << ": "
               << text_of(problem, "message") << '\n';
  }
  return problems->empty() ? Exit::done : Exit::found;
}

Exit run(const WaitCommand& command, const DaemonClient& daemon, const Output& output) {
  return Wait(command, daemon, output).run();
}

Exit run(const PauseCommand& command, const DaemonClient& daemon, const Output& output) {
  boost::json::object body;
  if (command.duration) {
    body["for_seconds"] =
        std::chrono::duration_cast<std::chrono::seconds>(*command.duration).count();
  }
  if (command.reason) body["reason"] = *command.reason;
  const Answer answer = daemon.change("POST", "/v1/pause", {}, body);
  output.out << (output.json ? answer.text : "paused " + pause_text(answer.value)) << '\n';
  return Exit::done;
}

Exit run(const ResumeCommand& /*command*/, const DaemonClient& daemon, const Output& output) {
  const Answer answer = daemon.change("POST", "/v1/resume");
  if (output.json) {
    output.out << answer.text << '\n';
  } else if (answer.value.is_null()) {
    output.out << "was not paused\n";
  } else {
    output.out << "resumed; was paused " << pause_text(answer.value) << '\n';
  }
  return Exit::done;
}

}  // namespace hmsync::cli
