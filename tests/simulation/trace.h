// What happened, in order: a hash of all of it, and the last lines to read.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace hmsync::simulation {

class Trace {
 public:
  explicit Trace(size_t kept_lines = 400) : kept_lines_(kept_lines) {}

  void add(std::string line) {
    for (const char c : line) mix(static_cast<unsigned char>(c));
    mix('\n');
    if (kept_lines_ == 0) return;
    lines_.push_back(std::move(line));
    if (lines_.size() > kept_lines_) lines_.pop_front();
  }
  [[nodiscard]] uint64_t hash() const { return hash_; }
  [[nodiscard]] const std::deque<std::string>& lines() const { return lines_; }

 private:
  void mix(unsigned char byte) { hash_ = (hash_ ^ byte) * 1099511628211U; }  // FNV-1a

  size_t kept_lines_;
  uint64_t hash_ = 14695981039346656037U;
  std::deque<std::string> lines_;
};

}  // namespace hmsync::simulation
