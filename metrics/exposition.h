// All series of one daemon, and their text for Prometheus. Probes register here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
class Registry;
}  // namespace prometheus

namespace hmsync::metrics {

using Labels = std::map<std::string, std::string>;

/// Outlives its probes' last use. Thread-safe. Names are written out in full, with their prefix;
/// every series also has the label `server`. A series exists, as zero, from its registration on, so
/// that an alert's expression never runs on nothing.
class Exposition {
 public:
  /// `server` is the metastore's name in the store.
  explicit Exposition(std::string server);
  ~Exposition();
  Exposition(const Exposition&) = delete;
  Exposition& operator=(const Exposition&) = delete;

  /// The text exposition format 0.0.4, families in the order of their names. Answers from memory
  /// (and /proc/self).
  [[nodiscard]] std::string text();
  /// What text() is to be served as.
  static const char* content_type();

  prometheus::Counter& counter(const std::string& name, const std::string& help,
                               const Labels& labels = {});
  prometheus::Gauge& gauge(const std::string& name, const std::string& help,
                           const Labels& labels = {});
  prometheus::Histogram& histogram(const std::string& name, const std::string& help,
                                   const std::vector<double>& bounds, const Labels& labels = {});
  /// Run before each text(), one at a time: sets what is only known at that moment. What it uses
  /// must live as long as the exposition.
  void at_scrape(std::function<void()> refresh);

 private:
  const Labels constant_labels_;
  const std::unique_ptr<prometheus::Registry> registry_;
  std::mutex scraping_;
  std::vector<std::function<void()>> refreshes_;  // guarded by scraping_
};

/// Bounds in seconds, from a call on loopback (1 ms) to a stuck one (2 min).
const std::vector<double>& call_seconds();
/// Bounds in seconds of what may take hours.
const std::vector<double>& job_seconds();

/// Counters that differ in one label. Its values are fixed when it is made, which bounds the number
/// of series; any other value counts as `other`. `more` are labels that all of them have.
class CounterFamily {
 public:
  CounterFamily(Exposition& exposition, const std::string& name, const std::string& help,
                const std::string& label, const std::vector<std::string>& values,
                const Labels& more = {});

  void add(const std::string& value, double count = 1);

 private:
  std::map<std::string, prometheus::Counter*> counters_;
};

}  // namespace hmsync::metrics
