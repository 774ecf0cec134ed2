// Which token files are believed.
#include "cli/local_token.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace hmsync::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class LocalTokenTest : public testing::Test {
 protected:
  LocalTokenTest() {
    std::string pattern = testing::TempDir() + "local-token-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~LocalTokenTest() override { fs::remove_all(root_); }

  fs::path write(const std::string& folder, const std::string& name, const std::string& text,
                 int age_seconds) {
    fs::create_directory(root_ / folder);
    const fs::path file = root_ / folder / name;
    std::ofstream(file) << text;
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(age_seconds));
    return file;
  }

  fs::path root_;
};

TEST_F(LocalTokenTest, TheNewestTokenOfThePortComesFirst) {
  write("old", "token-9180", "left-behind\n", 100);
  write("new", "token-9180", "fresh\n", 1);
  write("new", "token-9181", "of another port\n", 0);
  const std::vector<fs::path> folders = {root_ / "old", root_ / "missing", root_ / "new"};
  EXPECT_THAT(local_tokens(folders, 9180), ElementsAre("fresh", "left-behind"));
  EXPECT_THAT(local_tokens(folders, 9182), IsEmpty());
}

TEST_F(LocalTokenTest, LinksPipesEmptyFilesAndBrokenTokensAreNotBelieved) {
  const fs::path real = write("real", "token-1", "secret\n", 0);
  write("empty", "token-1", "\n", 0);
  write("header", "token-1", "two words\n", 0);
  fs::create_directory(root_ / "link");
  fs::create_symlink(real, root_ / "link" / "token-1");
  fs::create_directory_symlink(root_ / "real", root_ / "folder_link");
  fs::create_directory(root_ / "pipe");
  ASSERT_EQ(mkfifo((root_ / "pipe" / "token-1").c_str(), 0600), 0);
  EXPECT_THAT(local_tokens({root_ / "empty", root_ / "header", root_ / "link",
                            root_ / "folder_link", root_ / "pipe"},
                           1),
              IsEmpty());
  EXPECT_THAT(local_tokens({root_ / "real"}, 1), ElementsAre("secret"));
}

TEST_F(LocalTokenTest, AFileMustBelongToTheOwnerOfItsFolder) {
  const fs::path file = write("shared", "token-1", "planted\n", 0);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(file.c_str(), 12345, 12345), 0);
    EXPECT_THAT(local_tokens({root_ / "shared"}, 1), IsEmpty());
    ASSERT_EQ(chown((root_ / "shared").c_str(), 12345, 12345), 0);
    EXPECT_THAT(local_tokens({root_ / "shared"}, 1), ElementsAre("planted"));
  } else {
    EXPECT_THAT(local_tokens({root_ / "shared"}, 1), ElementsAre("planted"));
  }
}

TEST_F(LocalTokenTest, AnExplicitFileGivesItsFirstLineOrAReason) {
  EXPECT_EQ(read_token_file(write("x", "t", "  abc \r\nmore\n", 0)), "abc");
  EXPECT_THROW(read_token_file(write("x", "none", "\nabc\n", 0)), std::runtime_error);
  try {
    read_token_file(root_ / "missing");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("No such file"));
  }
}

TEST_F(LocalTokenTest, RuntimeFoldersAreThoseOfTheDaemon) {
  setenv("RUNTIME_DIRECTORY", "/run/a:/run/other", 1);
  setenv("XDG_RUNTIME_DIR", "/run/b", 1);
  const auto folders = runtime_folders();
  unsetenv("RUNTIME_DIRECTORY");
  unsetenv("XDG_RUNTIME_DIR");
  EXPECT_THAT(folders, testing::Contains(fs::path("/run/a")));
  EXPECT_THAT(folders, testing::Contains(fs::path("/run/b/hmsync")));
  EXPECT_THAT(folders, testing::Contains(fs::path("/run/hmsync")));
  EXPECT_THAT(folders, testing::Contains(fs::path("/tmp/hmsync-" + std::to_string(geteuid()))));
}

}  // namespace
}  // namespace hmsync::cli
