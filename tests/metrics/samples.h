// Reads an exposition as a scraper does.
#pragma once

#include <map>
#include <sstream>
#include <string>

namespace hmsync::metrics {

/// From a series as written (`name{label="value",...}`) to its value as written.
inline std::map<std::string, std::string> samples(const std::string& text) {
  std::map<std::string, std::string> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    const size_t blank = line.rfind(' ');
    values[line.substr(0, blank)] = line.substr(blank + 1);
  }
  return values;
}

}  // namespace hmsync::metrics
