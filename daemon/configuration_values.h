// Durations, sizes and percentages as people write them in the configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hmsync::daemon {

/// "500ms", "10s", "5m", "24h", "7d" or "0"; nothing for anything else or what does not fit.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
/// "32MiB", "1GiB", "64KiB" or plain bytes.
std::optional<int64_t> parse_bytes(std::string_view text);
/// "20%" as 0.2.
std::optional<double> parse_percent(std::string_view text);
std::optional<int64_t> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);

std::string format_duration(std::chrono::milliseconds duration);
std::string format_bytes(int64_t bytes);
std::string format_percent(double fraction);

}  // namespace hmsync::daemon
