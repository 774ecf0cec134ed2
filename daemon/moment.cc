#include "daemon/moment.h"

#include <charconv>
#include <chrono>
#include <cstdint>

namespace hmsync::daemon {
namespace {

constexpr int64_t kDaySeconds = 86'400;

/// What is left of a text that is read from the front.
class Rest {
 public:
  explicit Rest(std::string_view text) : text_(text) {}

  [[nodiscard]] bool empty() const { return text_.empty(); }
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// A whole number of so many digits; 0: of one or more.
  std::optional<int64_t> digits(size_t count) {
    size_t length = text_.find_first_not_of("0123456789");
    if (length == std::string_view::npos) length = text_.size();
    if (length == 0 || (count > 0 && length < count)) return std::nullopt;
    if (count > 0) length = count;
    int64_t number = 0;
    const auto [end, failure] = std::from_chars(text_.data(), text_.data() + length, number);
    if (failure != std::errc()) return std::nullopt;
    text_.remove_prefix(length);
    return number;
  }

 private:
  std::string_view text_;
};

std::optional<double> ago(Rest rest, double now) {
  const auto amount = rest.digits(0);
  if (!amount) return std::nullopt;
  for (const auto& [unit, seconds] :
       {std::pair{'s', 1.0}, {'m', 60.0}, {'h', 3600.0}, {'d', static_cast<double>(kDaySeconds)}}) {
    if (rest.take(unit)) {
      if (!rest.empty()) return std::nullopt;
      return now - static_cast<double>(*amount) * seconds;
    }
  }
  return std::nullopt;
}

/// hh, hh:mm or hhmm, below 24:00; in seconds.
std::optional<int64_t> hours(Rest& rest, bool minutes_needed) {
  const auto hour = rest.digits(2);
  const bool colon = rest.take(':');
  const auto minute = rest.digits(2);
  if (!hour || *hour > 23 || (!minute && (colon || minutes_needed))) return std::nullopt;
  if (minute.value_or(0) > 59) return std::nullopt;
  return *hour * 3600 + minute.value_or(0) * 60;
}

/// Seconds east of UTC.
std::optional<int64_t> zone(Rest& rest) {
  if (rest.empty() || rest.take('Z')) return 0;
  const bool east = rest.take('+');
  if (!east && !rest.take('-')) return std::nullopt;
  const auto offset = hours(rest, false);
  if (!offset) return std::nullopt;
  return east ? *offset : -*offset;
}

std::optional<double> seconds_of(Rest& rest) {
  if (!rest.take(':')) return 0;
  const auto whole = rest.digits(2);
  if (!whole || *whole > 60) return std::nullopt;
  double seconds = static_cast<double>(*whole);
  if (!rest.take('.')) return seconds;
  double unit = 0.1;
  auto digit = rest.digits(1);
  if (!digit) return std::nullopt;
  for (; digit; digit = rest.digits(1), unit /= 10) seconds += static_cast<double>(*digit) * unit;
  return seconds;
}

std::optional<double> calendar(Rest rest) {
  const auto year = rest.digits(4);
  if (!year || !rest.take('-')) return std::nullopt;
  const auto month = rest.digits(2);
  if (!month || !rest.take('-')) return std::nullopt;
  const auto day = rest.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const int64_t midnight = std::chrono::sys_days(date).time_since_epoch().count() * kDaySeconds;
  if (rest.empty()) return static_cast<double>(midnight);
  if (!rest.take('T') && !rest.take(' ')) return std::nullopt;
  const auto time = hours(rest, true);
  if (!time) return std::nullopt;
  const auto seconds = seconds_of(rest);
  if (!seconds) return std::nullopt;
  const auto east = zone(rest);
  if (!east || !rest.empty()) return std::nullopt;
  return static_cast<double>(midnight + *time - *east) + *seconds;
}

}  // namespace

std::optional<double> parse_moment(std::string_view text, double now) {
  if (const auto moment = ago(Rest(text), now)) return moment;
  return calendar(Rest(text));
}

}  // namespace hmsync::daemon
