// Which fault met which port call while which kinds of event were unread.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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

/// Of the ports that a daemon uses, as "port:call".
std::vector<std::string> all_calls();
/// Of events that clients of the metastore cause, and "(none)" where none is unread.
std::vector<std::string> all_kinds();
/// False for a call that only reads and a fault after its effect: it has none, so that whether it
/// fails before or after is the same.
bool possible(Fault fault, std::string_view call);
/// False, too, where the call is made only while something is unread.
bool possible(Fault fault, std::string_view call, std::string_view kind);

class Coverage {
 public:
  struct Cell {
    /// One of those that are unread when the fault begins or ends, which counts for each.
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
