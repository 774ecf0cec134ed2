#include "cli/request.h"

#include <algorithm>
#include <thread>

#include "cli/progress.h"

namespace hmsync::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{1000};
/// The request is kept while a daemon restarts or another takes over.
constexpr std::chrono::seconds kLongestSilence{60};

}  // namespace

std::string request_id(const boost::json::value& accepted) {
  const auto& id = member(accepted, "id");
  if (const auto* text = id.if_string()) return std::string(*text);
  if (id.is_int64() || id.is_uint64()) return boost::json::serialize(id);
  throw Failure(Exit::failed, "hmsyncd's answer to the request has no id");
}

Answer wait_for_end(const std::string& id, const DaemonClient& daemon, const Output& output) {
  Progress progress(output);
  milliseconds pause = kFirstPause;
  auto heard = Clock::now();
  while (true) {
    try {
      Answer answer = daemon.get("/v1/requests/" + percent_encode(id));
      heard = Clock::now();
      if (member(answer.value, "state") == boost::json::value("finished")) return answer;
      if (!output.json || output.err_terminal) {
        progress.show(member(answer.value, "snapshot"), heard);
      }
    } catch (const Unreachable&) {
      if (Clock::now() - heard > kLongestSilence) throw;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 3 / 2, kLongestPause);
  }
}

}  // namespace hmsync::cli
