// What the parts of the loop share during one term of leadership. Not for use outside this folder.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "follower/follower.h"

namespace hmsync::follower {

/// History that is lost, and why: the live state can only be made right by a whole snapshot.
struct Broken {
  std::string reason;  ///< gap or reset
  bool raise_generation = false;
};

struct Term {
  const Ports ports;
  Options options;
  const Token token;

  Term(const Ports& given_ports, const Options& given_options, Token given_token)
      : ports(given_ports), options(given_options), token(std::move(given_token)) {}

  std::optional<FollowerState> state;  ///< nothing: to be read before anything else
  int64_t head = 0;                    ///< as last read
  std::string metastore_uuid;
  bool plain_listener = false;
  std::optional<Broken> broken;
  std::vector<Note> notes;  ///< for the audit, with the next commit that can carry them

  [[nodiscard]] std::chrono::steady_clock::time_point now() const { return ports.clock.now(); }
  [[nodiscard]] Fence fence() const { return {token, state->commit_number}; }
  [[nodiscard]] int64_t cursor() const { return *state->cursor; }
  [[nodiscard]] bool live() const { return state->cursor && !broken; }
  void committed() { ++state->commit_number; }

  /// Tells the observer, and the audit as soon as something is committed.
  void tell(Notice::Kind kind, int64_t event, const std::string& text) {
    ports.observer.noticed({kind, event, text});
    notes.push_back({to_string(kind), event, text});
  }
  /// History counts as lost from now on.
  void lose_history(const std::string& reason, int64_t event, const std::string& text) {
    broken = Broken{reason, reason == "reset"};
    tell(reason == "reset" ? Notice::Kind::reset : Notice::Kind::gap, event, text);
  }
};

/// Something that is wrong, and for how long it may be: trouble ends by itself, lost history does
/// not.
class Grace {
 public:
  /// True once it was so at every look for as long as that. Between two looks at most half of it
  /// counts: in a standstill it may have ended, and begun again, unseen.
  bool over(const Term& term, std::chrono::milliseconds grace) {
    const auto now = term.now();
    if (looked_) lasted_ += std::min(now - *looked_, Duration(grace) / 2);
    looked_ = now;
    if (lasted_ < grace) return false;
    clear();
    return true;
  }
  void clear() { *this = {}; }
  [[nodiscard]] bool running() const { return looked_.has_value(); }

 private:
  using Duration = std::chrono::steady_clock::duration;

  std::optional<std::chrono::steady_clock::time_point> looked_;
  Duration lasted_{};
};

/// Between half of the time and the whole.
std::chrono::milliseconds jittered_backoff(const Options& options, int failures,
                                           std::minstd_rand& random);

}  // namespace hmsync::follower
