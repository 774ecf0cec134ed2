#include "daemon/configuration_values.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace hmsync::daemon {
namespace {

struct Unit {
  std::string_view suffix;
  int64_t size;
};

constexpr std::array kDurationUnits = {Unit{"ms", 1}, Unit{"s", 1000}, Unit{"m", 60'000},
                                       Unit{"h", 3'600'000}, Unit{"d", 86'400'000}};
constexpr std::array kByteUnits = {Unit{"KiB", int64_t{1} << 10}, Unit{"MiB", int64_t{1} << 20},
                                   Unit{"GiB", int64_t{1} << 30}, Unit{"TiB", int64_t{1} << 40}};

template <typename Units>
std::optional<int64_t> parse_with_unit(std::string_view text, const Units& units) {
  const size_t digits = text.find_first_not_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  const auto amount = parse_integer(text.substr(0, digits));
  if (!amount) return std::nullopt;
  for (const Unit& unit : units) {
    int64_t product = 0;
    if (text.substr(digits) != unit.suffix) continue;
    if (__builtin_mul_overflow(*amount, unit.size, &product)) return std::nullopt;
    return product;
  }
  return std::nullopt;
}

template <typename Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<int64_t> parse_integer(std::string_view text) { return parse_whole<int64_t>(text); }

std::optional<double> parse_number(std::string_view text) {
  const auto number = parse_whole<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::milliseconds(0);
  const auto milliseconds = parse_with_unit(text, kDurationUnits);
  if (!milliseconds) return std::nullopt;
  return std::chrono::milliseconds(*milliseconds);
}

std::optional<int64_t> parse_bytes(std::string_view text) {
  if (const auto plain = parse_integer(text)) return plain;
  return parse_with_unit(text, kByteUnits);
}

std::optional<double> parse_percent(std::string_view text) {
  if (text.empty() || text.back() != '%') return std::nullopt;
  const auto number = parse_number(text.substr(0, text.size() - 1));
  if (!number) return std::nullopt;
  return *number / 100;
}

std::string format_duration(std::chrono::milliseconds duration) {
  const int64_t count = duration.count();
  if (count == 0) return "0";
  // One day reads better as 24h.
  for (size_t i = kDurationUnits.size(); i-- > 0;) {
    const Unit& unit = kDurationUnits[i];
    if (count % unit.size == 0 && (unit.suffix != "d" || count > unit.size)) {
      return fmt::format("{}{}", count / unit.size, unit.suffix);
    }
  }
  return fmt::format("{}ms", count);
}

std::string format_bytes(int64_t bytes) {
  for (size_t i = kByteUnits.size(); i-- > 0;) {
    const Unit& unit = kByteUnits[i];
    if (bytes != 0 && bytes % unit.size == 0) {
      return fmt::format("{}{}", bytes / unit.size, unit.suffix);
    }
  }
  return fmt::format("{}", bytes);
}

std::string format_percent(double fraction) { return fmt::format("{:.10g}%", fraction * 100); }

}  // namespace hmsync::daemon
