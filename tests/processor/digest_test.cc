// The hashes were made with another program: SHA-256 of "ID TIME BYTES TYPE " and of the message's
// own SHA-256.
#include "processor/digest.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace hmsync::processor {
namespace {

template <size_t Size>
std::string hex(const std::array<std::byte, Size>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<size_t>(byte) >> 4];
    text += kDigits[std::to_integer<size_t>(byte) & 15];
  }
  return text;
}

Event event(int64_t id, int64_t time, std::string type, std::string message) {
  Event made;
  made.id = id;
  made.time = time;
  made.type = std::move(type);
  made.message = std::move(message);
  return made;
}

std::array<std::byte, 32> hash_in_parts(const std::string& text, size_t part) {
  MessageHash hash;
  for (size_t at = 0; at < text.size(); at += part) {
    hash.add(std::string_view(text).substr(at, part));
  }
  return hash.take();
}

TEST(MessageHash, IsSha256) {
  EXPECT_EQ(hex(MessageHash().take()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  for (const size_t part : {1U, 2U, 3U}) {
    EXPECT_EQ(hex(hash_in_parts("abc", part)),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }
}

TEST(Digest, IsOfIdTimeTypeAndMessage) {
  const EventDigest made = digest(event(7, 1700000007, "CREATE_TABLE", "{}"));
  EXPECT_EQ(made.id, 7);
  EXPECT_EQ(hex(made.hash), "e63fc3329cee92d7d659869b096a213f");
  EXPECT_EQ(hex(digest(event(0, 0, "", "")).hash), "5bfce0a4a8f1cc8a5a81addbe92f8bbe");
  EXPECT_EQ(
      hex(digest(event(9007199254740993, 1700000007, "DROP_TABLE", std::string(307200, 'x'))).hash),
      "5bdc055716ba22c3ba272227e75b05ff");
}

TEST(Digest, EveryPartOfTheEventThatItIsOfChangesIt) {
  const Event plain = event(7, 1700000007, "CREATE_TABLE", "{}");
  std::set<EventDigest> digests = {digest(plain)};
  EXPECT_TRUE(digests.insert(digest(event(8, 1700000007, "CREATE_TABLE", "{}"))).second);
  EXPECT_TRUE(digests.insert(digest(event(7, 1700000008, "CREATE_TABLE", "{}"))).second);
  EXPECT_TRUE(digests.insert(digest(event(7, 1700000007, "DROP_TABLE", "{}"))).second);
  EXPECT_TRUE(digests.insert(digest(event(7, 1700000007, "CREATE_TABLE", "{ }"))).second);
  EXPECT_TRUE(digests.insert(digest(event(7, 1700000007, "CREATE_TABLE", ""))).second);
  EXPECT_EQ(digests.size(), 6U);
}

TEST(Digest, ADigitDoesNotMoveFromOneFieldToTheNext) {
  EXPECT_NE(digest(event(1, 23, "T", "")).hash, digest(event(12, 3, "T", "")).hash);
}

TEST(Digest, AWithheldMessageCountsAsIfItWereThere) {
  const std::string message(307200, 'x');
  Event withheld = event(9007199254740993, 1700000007, "DROP_TABLE", "");
  withheld.withheld = WithheldMessage{307200, hash_in_parts(message, 65536)};
  EXPECT_EQ(hex(digest(withheld).hash), "5bdc055716ba22c3ba272227e75b05ff");
  withheld.withheld->bytes = 307201;
  EXPECT_NE(hex(digest(withheld).hash), "5bdc055716ba22c3ba272227e75b05ff");
}

TEST(Digest, WhatServersSpellDifferentlyIsNoPartOfIt) {
  Event named = event(7, 1700000007, "CREATE_TABLE", "{}");
  named.catalog = "hive";
  named.database = "sales";
  named.table = "orders";
  named.message_format = "json-0.2";
  EXPECT_EQ(hex(digest(named).hash), "e63fc3329cee92d7d659869b096a213f");
}

}  // namespace
}  // namespace hmsync::processor
