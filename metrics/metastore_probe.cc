#include "metrics/metastore_probe.h"

#include <prometheus/histogram.h>

namespace hmsync::metrics {

namespace {

constexpr const char* kOtherMethod = "other";

}  // namespace

MetastoreProbe::MetastoreProbe(Exposition& exposition,
                               const std::vector<std::string>& known_methods) {
  auto methods = known_methods;
  methods.emplace_back(kOtherMethod);
  for (const auto& method : methods) {
    const Labels labels{{"method", method}};
    methods_.try_emplace(
        method,
        Method{.calls = CounterFamily(exposition, "hmsync_metastore_calls_total",
                                      "Calls to the metastore, by method and how they ended.",
                                      "outcome", {"ok", "error"}, labels),
               .duration = exposition.histogram("hmsync_metastore_call_duration_seconds",
                                                "Time of one call to the metastore, failed or not.",
                                                call_seconds(), labels)});
  }
}

void MetastoreProbe::called(const std::string& method, const std::string& outcome,
                            double took_seconds) {
  const auto known = methods_.find(method);
  auto& counted = known == methods_.end() ? methods_.at(kOtherMethod) : known->second;
  counted.calls.add(outcome);
  counted.duration.Observe(took_seconds);
}

}  // namespace hmsync::metrics
