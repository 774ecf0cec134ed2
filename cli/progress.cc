#include "cli/progress.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <iostream>

#include "cli/daemon_client.h"

namespace hmsync::cli {
namespace {

constexpr std::chrono::seconds kBetweenLines{10};
constexpr int kBarWidth = 30;

int64_t number(const boost::json::value& value, std::string_view name) {
  const auto* found = member(value, name).if_int64();
  return found == nullptr ? 0 : *found;
}

std::string bar(int64_t done, int64_t total) {
  const double part = std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
  const int full = static_cast<int>(part * kBarWidth);
  return "[" + std::string(static_cast<size_t>(full), '#') +
         std::string(static_cast<size_t>(kBarWidth - full), '.') + "] " +
         std::to_string(static_cast<int>(part * 100)) + "%";
}

}  // namespace

void Progress::show(const boost::json::value& snapshot, Time now) {
  if (snapshot.is_null()) return;
  const std::string phase = cell(member(snapshot, "phase"));
  const int64_t done = number(snapshot, "done");
  const int64_t total = number(snapshot, "total");
  const bool new_phase = phase != phase_;
  if (new_phase) {
    phase_ = phase;
    phase_began_ = now;
    done_at_begin_ = done;
  }
  if (output_.err_terminal) {
    std::string line = phase_ + " " + (total > 0 ? bar(done, total) + " " : "");
    output_.err << "\r\x1b[K" << line << text(done, total, now) << std::flush;
    drawn_ = true;
  } else if (new_phase || now - last_line_ >= kBetweenLines) {
    output_.err << phase_ << ": " << text(done, total, now) << '\n' << std::flush;
    last_line_ = now;
  }
}

std::string Progress::text(int64_t done, int64_t total, Time now) const {
  std::string text = std::to_string(done);
  if (total > 0) text += " of " + std::to_string(total);
  const double seconds = std::chrono::duration<double>(now - phase_began_).count();
  const double rate = seconds > 0 ? static_cast<double>(done - done_at_begin_) / seconds : 0;
  if (rate < 1) return text;
  text += ", " + std::to_string(std::llround(rate)) + " a second";
  if (total > done) {
    text += ", about " + std::to_string(std::llround(static_cast<double>(total - done) / rate)) +
            " s left";
  }
  return text;
}

void Progress::clear() {
  if (drawn_) output_.err << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace hmsync::cli
