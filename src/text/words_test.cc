#include "text/words.h"

#include <gtest/gtest.h>

#include <vector>

namespace rex::text {
namespace {

std::vector<std::u32string> words_of(std::u32string_view text) {
  std::vector<std::u32string> words;
  for (auto word = next_word(text, 0); word.begin != word.end; word = next_word(text, word.end)) {
    words.emplace_back(text.substr(word.begin, word.end - word.begin));
  }
  return words;
}

using Words = std::vector<std::u32string>;

TEST(Words, T11SplitsAtSpaces) {
  EXPECT_EQ(words_of(U"  ab  c "), (Words{U"ab", U"c"}));
  EXPECT_EQ(words_of(U""), Words{});
  EXPECT_EQ(words_of(U"   "), Words{});
}

TEST(Words, T11IsolatesPunctuation) {
  EXPECT_EQ(words_of(U"a,b。c$d^e"),
            (Words{U"a", U",", U"b", U"。", U"c", U"$", U"d", U"^", U"e"}));
  EXPECT_EQ(words_of(U"——"), (Words{U"—", U"—"}));
}

TEST(Words, T12KeepsSymbolsAndNumbersWithTheirNeighbours) {
  EXPECT_EQ(words_of(U"25℃ ￥100 a😀b №1"), (Words{U"25℃", U"￥100", U"a😀b", U"№1"}));
  EXPECT_EQ(words_of(U"5‰"), (Words{U"5", U"‰"}));
}

TEST(Words, StartsAtTheGivenChar) {
  EXPECT_EQ(next_word(U"ab cd", 1), (WordRange{1, 2}));
  EXPECT_EQ(next_word(U"ab cd", 2), (WordRange{3, 5}));
  EXPECT_EQ(next_word(U"ab ", 2), (WordRange{3, 3}));
}

}  // namespace
}  // namespace rex::text
