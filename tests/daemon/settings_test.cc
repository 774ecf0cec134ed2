#include "daemon/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hmsync::daemon {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(SettingsTest, NothingIsWithoutEffectByDefault) {
  EXPECT_THAT(keys_without_effect({}), IsEmpty());
}

TEST(SettingsTest, NamesWhatIsSetButHasNoEffectYet) {
  Configuration configuration;
  configuration.metastore.poll_interval = std::chrono::milliseconds(100);  // has its effect
  configuration.metastore.settle = std::chrono::seconds(1);
  configuration.metastore.overlap_events = 7;
  configuration.metastore.sweep_interval = std::chrono::seconds(1);
  configuration.metastore.sweep_tables_per_second = 0;
  configuration.metastore.max_removed = 0.5;
  configuration.metastore.verify_interval = std::chrono::hours(1);
  configuration.admin.probe_listen = "127.0.0.1:9181";
  EXPECT_THAT(keys_without_effect(configuration),
              UnorderedElementsAre("metastore.settle", "metastore.overlap_events",
                                   "metastore.sweep_interval", "metastore.sweep_tables_per_second",
                                   "metastore.max_removed", "metastore.verify_interval",
                                   "admin.probe_listen"));
}

}  // namespace
}  // namespace hmsync::daemon
