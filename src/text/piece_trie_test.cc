#include "text/piece_trie.h"

#include <gtest/gtest.h>

namespace rex::text {
namespace {

TEST(PieceTrie, FindsTheLongestBeginning) {
  const PieceTrie trie({{U"ab", 1}, {U"a", 0}, {U"abcd", 2}, {U"你", 3}});
  EXPECT_EQ(trie.longest_match(U"abcx").id, 1);
  EXPECT_EQ(trie.longest_match(U"abcx").length, 2u);
  EXPECT_EQ(trie.longest_match(U"abcde").id, 2);
  EXPECT_EQ(trie.longest_match(U"a").id, 0);
  EXPECT_EQ(trie.longest_match(U"你好").id, 3);
}

TEST(PieceTrie, NothingMatches) {
  const PieceTrie trie({{U"abc", 7}});
  EXPECT_EQ(trie.longest_match(U"ab").length, 0u);
  EXPECT_EQ(trie.longest_match(U"b").length, 0u);
  EXPECT_EQ(trie.longest_match(U"").length, 0u);
}

TEST(PieceTrie, MayBeEmpty) {
  EXPECT_EQ(PieceTrie({}).longest_match(U"a").length, 0u);
}

}  // namespace
}  // namespace rex::text
