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
  configuration.admin.probe_listen = "127.0.0.1:9181";
  EXPECT_THAT(keys_without_effect(configuration), UnorderedElementsAre("admin.probe_listen"));
}

}  // namespace
}  // namespace hmsync::daemon
