#include "tests/bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/json_writer.h"

namespace hmsync::bench {

namespace {

/// Four digits that tell something.
std::string number(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

}  // namespace

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

double most(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

void Report::add(Figure figure) {
  fmt::print("{:<3} {:<62} {:>9} {:>9} {:>9}  {} ({})\n", figure.measure, figure.what,
             number(least(figure.values)), number(at_share(figure.values, 0.5)),
             number(most(figure.values)), figure.unit, figure.values.size());
  std::fflush(stdout);
  figures_.push_back(std::move(figure));
}

void Report::compare(const std::string& measure, const std::string& what, const Figure& figure,
                     const Figure& against) {
  add({measure, what, "x", {at_share(figure.values, 0.5) / at_share(against.values, 0.5)}});
}

void Report::expect_at_most(const Figure& figure, double bound) {
  add(figure);
  if (most(figure.values) <= bound) return;
  failures_.push_back(fmt::format("{}: {} is more than {}", figure.what,
                                  number(most(figure.values)), number(bound)));
}

void Report::about(const std::string& key, const std::string& value) {
  fmt::print("{}: {}\n", key, value);
  about_.emplace_back(key, value);
}

std::string Report::json() const {
  daemon::JsonWriter json;
  json.begin_object().key("about").begin_object();
  for (const auto& [key, value] : about_) json.member(key, value);
  json.end_object().key("figures").begin_array();
  for (const Figure& figure : figures_) {
    json.begin_object().member("measure", figure.measure).member("what", figure.what);
    json.member("unit", figure.unit).key("values").begin_array();
    for (const double value : figure.values) json.value(value);
    json.end_array().end_object();
  }
  return json.end_array().end_object().text() + "\n";
}

}  // namespace hmsync::bench
