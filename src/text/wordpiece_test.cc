#include "text/wordpiece.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <set>

#include "text/text_test_support.h"
#include "text/utf8.h"

namespace rex::text {
namespace {

std::vector<Token> split(const WordPiece& wordpiece, std::u32string_view word) {
  std::vector<int32_t> origin(word.size());
  std::iota(origin.begin(), origin.end(), 0);
  std::vector<Token> tokens;
  wordpiece.append_tokens(word, origin.data(), tokens);
  return tokens;
}

TEST(WordPiece, T13UnknownCharMakesTheWholeWordUnknown) {
  const auto vocabulary = *Vocabulary::parse(kSmallVocabulary);
  const WordPiece wordpiece(vocabulary);
  EXPECT_EQ(split(wordpiece, U"abz"), (std::vector<Token>{{vocabulary.special().unk, 0, 3}}));
  EXPECT_EQ(split(wordpiece, U"zab"), (std::vector<Token>{{vocabulary.special().unk, 0, 3}}));
}

TEST(WordPiece, T13HundredCharsAreSplitAndOneMoreIsNot) {
  const auto vocabulary = *Vocabulary::parse(kSmallVocabulary);
  const WordPiece wordpiece(vocabulary);
  EXPECT_EQ(split(wordpiece, std::u32string(100, U'a')).size(), 100u);
  EXPECT_EQ(split(wordpiece, std::u32string(101, U'a')),
            (std::vector<Token>{{vocabulary.special().unk, 0, 101}}));
}

TEST(WordPiece, T17TokensReachFromTheirFirstToTheirLastOrigin) {
  const WordPiece wordpiece(*Vocabulary::parse(kSmallVocabulary));
  const int32_t origin[] = {3, 3, 7};
  std::vector<Token> tokens;
  wordpiece.append_tokens(U"aba", origin, tokens);
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].start, 3);
  EXPECT_EQ(tokens[0].end, 4);
  EXPECT_EQ(tokens[1].start, 7);
  EXPECT_EQ(tokens[1].end, 8);
}

// The rule as it is written: try every end from the right, in one map of strings.
std::vector<Token> obvious_split(const std::map<std::string, int32_t>& ids, int32_t unk,
                                 const std::string& word) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < word.size();) {
    size_t end = word.size();
    while (end > at && !ids.contains((at == 0 ? "" : "##") + word.substr(at, end - at))) --end;
    if (end == at) return {{unk, 0, static_cast<int32_t>(word.size())}};
    tokens.push_back({ids.at((at == 0 ? "" : "##") + word.substr(at, end - at)),
                      static_cast<int32_t>(at), static_cast<int32_t>(end)});
    at = end;
  }
  return tokens;
}

TEST(WordPiece, T13EqualsTheObviousSearchOnRandomVocabularies) {
  std::mt19937 random(20240613);
  const auto random_word = [&random](size_t longest) {
    std::string word(1 + random() % longest, 'a');
    for (char& c : word) c = static_cast<char>('a' + random() % 3);
    return word;
  };
  for (int round = 0; round < 50; ++round) {
    std::set<std::string> pieces;
    while (pieces.size() < 40) pieces.insert((random() % 2 == 0 ? "##" : "") + random_word(5));
    std::string file = "[PAD]\n[CLS]\n[SEP]\n[UNK]\n[MASK]\n";
    for (const std::string& piece : pieces) file += piece + "\n";
    const auto vocabulary = *Vocabulary::parse(file);
    std::map<std::string, int32_t> ids;
    for (const std::string& entry : vocabulary.entries()) {
      ids.emplace(entry, static_cast<int32_t>(ids.size()));
    }
    const WordPiece wordpiece(vocabulary);
    for (int i = 0; i < 200; ++i) {
      const std::string word = random_word(12);
      EXPECT_EQ(split(wordpiece, *decode_utf8(word)),
                obvious_split(ids, vocabulary.special().unk, word))
          << word;
    }
  }
}

}  // namespace
}  // namespace rex::text
