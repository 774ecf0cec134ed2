// Which fault met which port call while which kinds of event were unread.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hmsync::simulation {

enum class Fault {
  fails,        ///< before its effect
  lost_reply,   ///< fails after its effect
  hangs,        ///< before its effect, which comes late or not at all
  late_reply,   ///< after its effect
  crash,        ///< of the whole process, before the effect
  crash_after,  ///< of the whole process, after the effect
  stop,         ///< the whole process stands still before the effect, past its lease
};

inline constexpr std::array kFaults{Fault::fails,      Fault::lost_reply, Fault::hangs,
                                    Fault::late_reply, Fault::crash,      Fault::crash_after,
                                    Fault::stop};

const char* to_string(Fault fault);
/// Only what a call may have done can be done without its caller's knowing.
bool possible(Fault fault, std::string_view call);

class Coverage {
 public:
  struct Cell {
    std::string kind;
    Fault fault;
    std::string call;
    auto operator<=>(const Cell&) const = default;
  };

  void count(const Cell& cell) { ++cells_[cell]; }
  void add(const Coverage& other) {
    for (const auto& [cell, count] : other.cells_) cells_[cell] += count;
  }
  [[nodiscard]] const std::map<Cell, int64_t>& cells() const { return cells_; }

 private:
  std::map<Cell, int64_t> cells_;
};

}  // namespace hmsync::simulation
