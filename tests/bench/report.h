// What the benchmark found: a table for people and JSON for programs.
#pragma once

#include <string>
#include <vector>

namespace hmsync::bench {

/// One thing that was measured several times.
struct Figure {
  std::string measure;  ///< the number that measures.h gives it
  std::string what;
  std::string unit;
  std::vector<double> values;
};

double least(const std::vector<double>& values);
double most(const std::vector<double>& values);
/// The value that a share of the others does not exceed, for example 0.5 or 0.99.
double at_share(std::vector<double> values, double share);

/// Not thread-safe.
class Report {
 public:
  /// Prints its row at once: who waits sees how far it is.
  void add(Figure figure);
  /// How a figure compares with another one of the same run: by their medians.
  void compare(const std::string& measure, const std::string& what, const Figure& figure,
               const Figure& against);
  /// For counts and bytes, never for times: a figure above the bound is a failure of the run.
  void expect_at_most(const Figure& figure, double bound);
  /// Machine, versions, settings: key and value.
  void about(const std::string& key, const std::string& value);

  [[nodiscard]] std::string json() const;
  /// What was not as expected, a line each.
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

 private:
  std::vector<Figure> figures_;
  std::vector<std::string> failures_;
  std::vector<std::pair<std::string, std::string>> about_;
};

}  // namespace hmsync::bench
