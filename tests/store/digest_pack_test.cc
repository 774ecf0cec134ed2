#include "store/digest_pack.h"

#include <gtest/gtest.h>

#include "processor/error.h"

namespace hmsync::store {

namespace {

processor::EventDigest digest_of(int64_t id, unsigned first_byte) {
  processor::EventDigest digest;
  digest.id = id;
  for (size_t i = 0; i < digest.hash.size(); ++i) {
    digest.hash[i] = static_cast<std::byte>(first_byte + i);
  }
  return digest;
}

TEST(DigestPack, HoldsTheIdInEightBytesBigEndianAndThenTheHash) {
  EXPECT_EQ(pack_digests({digest_of(0x0102, 0xA0)}),
            "\\x0000000000000102a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
}

TEST(DigestPack, KeepsOrderAndTwinsOfOneId) {
  const std::vector<processor::EventDigest> digests{digest_of(7, 0), digest_of(7, 0xF0),
                                                    digest_of(int64_t{1} << 62, 0x10)};
  EXPECT_EQ(unpack_digests(pack_digests(digests)), digests);
}

TEST(DigestPack, OfNothingIsEmpty) {
  EXPECT_EQ(pack_digests({}), "\\x");
  EXPECT_TRUE(unpack_digests("\\x").empty());
}

TEST(DigestPack, RefusesWhatItNeverMade) {
  EXPECT_THROW(unpack_digests("\\x00"), Error);
  EXPECT_THROW(unpack_digests("\\x" + std::string(48, 'z')), Error);
  EXPECT_THROW(unpack_digests(""), Error);
}

}  // namespace

}  // namespace hmsync::store
