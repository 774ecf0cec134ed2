#include "daemon/local_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "processor/error.h"
#include "tests/fixtures/private_folder.h"

namespace hmsync::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class LocalTokenTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "token-9180"; }

  std::string line() {
    std::ifstream in(file());
    std::string text;
    std::getline(in, text);
    return text;
  }

  fixtures::PrivateFolder folder_{"token"};
};

TEST_F(LocalTokenTest, IsOneLineThatOnlyItsOwnerReads) {
  LocalToken token;
  token.publish(folder_.path(), 9180);
  EXPECT_THAT(line(), MatchesRegex("[0-9a-f]{64}"));
  struct stat found {};
  ASSERT_EQ(stat(file().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
}

TEST_F(LocalTokenTest, AcceptsItselfAndNothingElse) {
  LocalToken token;
  token.publish(folder_.path(), 9180);
  const std::string right = line();
  EXPECT_TRUE(token.accepts("Bearer " + right));
  EXPECT_FALSE(token.accepts(right));
  EXPECT_FALSE(token.accepts("Bearer "));
  EXPECT_FALSE(token.accepts(""));
  EXPECT_FALSE(token.accepts("Bearer " + right + "0"));
  EXPECT_FALSE(token.accepts("Bearer " + right.substr(1)));
  std::string wrong = right;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  EXPECT_FALSE(token.accepts("Bearer " + wrong));
}

TEST_F(LocalTokenTest, IsAnotherAtEachStartAndGoneAtTheEnd) {
  std::string first;
  {
    LocalToken token;
    token.publish(folder_.path(), 9180);
    first = line();
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
  LocalToken token;
  token.publish(folder_.path(), 9180);
  EXPECT_NE(line(), first);
}

TEST_F(LocalTokenTest, LeavesAFileThatItDidNotWrite) {
  std::ofstream(file()) << "of another daemon\n";
  { LocalToken token; }
  EXPECT_EQ(line(), "of another daemon");
}

TEST_F(LocalTokenTest, MakesTheRuntimeFolderForItsOwnerAlone) {
  const auto folder = folder_.path() / "run";
  setenv("RUNTIME_DIRECTORY", folder.c_str(), 1);
  EXPECT_EQ(runtime_folder(), folder);
  struct stat found {};
  ASSERT_EQ(stat(folder.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
  unsetenv("RUNTIME_DIRECTORY");
}

TEST_F(LocalTokenTest, RefusesARuntimeFolderThatOthersWriteOrThatIsALink) {
  const auto open = folder_.path() / "open";
  std::filesystem::create_directory(open);
  ASSERT_EQ(chmod(open.c_str(), 0777), 0);
  const auto link = folder_.path() / "link";
  std::filesystem::create_directory_symlink(folder_.path(), link);
  for (const auto& folder : {open, link}) {
    setenv("RUNTIME_DIRECTORY", folder.c_str(), 1);
    try {
      runtime_folder();
      ADD_FAILURE() << folder << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::fatal);
      EXPECT_THAT(error.what(), HasSubstr(folder.string()));
    }
  }
  unsetenv("RUNTIME_DIRECTORY");
}

}  // namespace
}  // namespace hmsync::daemon
