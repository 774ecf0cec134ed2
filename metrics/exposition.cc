#include "metrics/exposition.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <utility>

namespace hmsync::metrics {

namespace {

constexpr const char* kOther = "other";

}  // namespace

Exposition::Exposition(std::string server)
    : constant_labels_{{"server", std::move(server)}},
      registry_(std::make_unique<prometheus::Registry>()) {}

Exposition::~Exposition() = default;

std::string Exposition::text() {
  const std::lock_guard lock(scraping_);
  for (const auto& refresh : refreshes_) refresh();
  auto families = registry_->Collect();
  const auto sorted = [](auto& list, auto key) {
    std::sort(list.begin(), list.end(),
              [&](const auto& a, const auto& b) { return a.*key < b.*key; });
  };
  sorted(families, &prometheus::MetricFamily::name);
  for (auto& family : families) sorted(family.metric, &prometheus::ClientMetric::label);
  return prometheus::TextSerializer().Serialize(families);
}

const char* Exposition::content_type() { return "text/plain; version=0.0.4; charset=utf-8"; }

prometheus::Counter& Exposition::counter(const std::string& name, const std::string& help,
                                         const Labels& labels) {
  return prometheus::BuildCounter()
      .Name(name)
      .Help(help)
      .Labels(constant_labels_)
      .Register(*registry_)
      .Add(labels);
}

prometheus::Gauge& Exposition::gauge(const std::string& name, const std::string& help,
                                     const Labels& labels) {
  return prometheus::BuildGauge()
      .Name(name)
      .Help(help)
      .Labels(constant_labels_)
      .Register(*registry_)
      .Add(labels);
}

prometheus::Histogram& Exposition::histogram(const std::string& name, const std::string& help,
                                             const std::vector<double>& bounds,
                                             const Labels& labels) {
  return prometheus::BuildHistogram()
      .Name(name)
      .Help(help)
      .Labels(constant_labels_)
      .Register(*registry_)
      .Add(labels, bounds);
}

void Exposition::at_scrape(std::function<void()> refresh) {
  const std::lock_guard lock(scraping_);
  refreshes_.push_back(std::move(refresh));
}

const std::vector<double>& call_seconds() {
  static const std::vector<double> bounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                          0.5,   1,      2.5,   5,    10,    30,   60,  120};
  return bounds;
}

const std::vector<double>& job_seconds() {
  static const std::vector<double> bounds{0.1, 0.5, 1, 5, 15, 60, 300, 900, 1800, 3600, 10800};
  return bounds;
}

CounterFamily::CounterFamily(Exposition& exposition, const std::string& name,
                             const std::string& help, const std::string& label,
                             const std::vector<std::string>& values, const Labels& more) {
  const auto add = [&](const std::string& value) {
    Labels labels = more;
    labels[label] = value;
    counters_[value] = &exposition.counter(name, help, labels);
  };
  for (const auto& value : values) add(value);
  add(kOther);
}

void CounterFamily::add(const std::string& value, double count) {
  const auto known = counters_.find(value);
  (known == counters_.end() ? counters_.at(kOther) : known->second)->Increment(count);
}

}  // namespace hmsync::metrics
