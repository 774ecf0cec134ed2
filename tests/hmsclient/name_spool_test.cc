#include "hmsclient/name_spool.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/hmsclient/expect_error.h"

namespace hmsync::hmsclient {
namespace {

using testing::ElementsAre;

std::string long_name(int index) { return std::to_string(index) + std::string(200, 'x'); }

TEST(NameSpool, AShortListStaysInMemoryAndIsReadByRange) {
  const NameSpool names({"a", "", "ccc"});
  EXPECT_TRUE(names.in_memory());
  EXPECT_EQ(names.size(), 3U);
  EXPECT_THAT(names.read(0, 3), ElementsAre("a", "", "ccc"));
  EXPECT_THAT(names.read(1, 2), ElementsAre(""));
  EXPECT_THAT(names.read(3, 3), ElementsAre());
}

TEST(NameSpool, ALongListIsKeptInAFileAndReadByRange) {
  NameSpool names;
  for (int i = 0; i < 20050; ++i) {
    names.add(long_name(i));
  }
  names.finish();
  EXPECT_FALSE(names.in_memory());
  EXPECT_EQ(names.size(), 20050U);
  for (const size_t begin : {0U, 1U, 99U, 100U, 4711U, 19999U, 20047U}) {
    EXPECT_THAT(names.read(begin, begin + 3), ElementsAre(long_name(static_cast<int>(begin)),
                                                          long_name(static_cast<int>(begin) + 1),
                                                          long_name(static_cast<int>(begin) + 2)));
  }
  const std::vector<std::string> all = names.read(0, 20050);
  ASSERT_EQ(all.size(), 20050U);
  for (int i = 0; i < 20050; ++i) {
    ASSERT_EQ(all[static_cast<size_t>(i)], long_name(i));
  }
}

TEST(NameSpool, NamesHaveAnyBytesAndAnyLength) {
  NameSpool names;
  const std::string bytes("\0/=\n\xff", 5);
  const std::string large(3 << 20, 'y');
  names.add(bytes);
  names.add(large);
  names.add("last");
  names.finish();
  EXPECT_FALSE(names.in_memory());
  EXPECT_THAT(names.read(0, 3), ElementsAre(bytes, large, "last"));
}

TEST(NameSpool, AFolderThatIsNotThereIsAnErrorThatNamesIt) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/does/not/exist", 1);
  NameSpool names;
  expect_error(ErrorKind::transient, "in /does/not/exist (TMPDIR says where): No such file", [&] {
    for (int i = 0; i < 20050; ++i) {
      names.add(long_name(i));
    }
  });
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace hmsync::hmsclient
