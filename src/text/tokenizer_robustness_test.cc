// What must hold for every text, and under load.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "support/test_data.h"
#include "text/text_test_support.h"
#include "text/utf8.h"

namespace rex::text {
namespace {

// Chars from every part of the tables, with many of the ones that matter.
std::u32string random_text(std::mt19937& random, size_t length) {
  static const std::u32string kLikely = U"ab19 ,。你好é\u0301\u200B\uF900가[]#😀\u3000\U0002B920";
  std::u32string text;
  while (text.size() < length) {
    const auto any = static_cast<char32_t>(random() % 0x110000);
    const char32_t c = random() % 4 != 0 ? kLikely[random() % kLikely.size()] : any;
    if (c < 0xD800 || c > 0xDFFF) text.push_back(c);
    if (random() % 20 == 0) text += U"[SEP]";
  }
  return text;
}

void expect_sound_offsets(const std::vector<Token>& tokens, int32_t size) {
  Token before;
  for (const Token& token : tokens) {
    EXPECT_LT(token.start, token.end);
    EXPECT_LE(token.end, size);
    EXPECT_GE(token.start, before.start);
    EXPECT_GE(token.end, before.end);
    // Pieces of one decomposed char share it (T17); nothing else overlaps.
    EXPECT_GE(token.start, before.end - 1);
    before = token;
  }
}

TEST(TokenizerProperty, OffsetsAreNotEmptyAndDoNotGoBack) {
  const auto tokenizer = small_tokenizer();
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::u32string text = random_text(random, 1 + random() % 60);
    for (const auto specials : {SpecialMatching::kOff, SpecialMatching::kAll}) {
      const auto tokens = tokenizer->encode(encode_utf8(text), specials);
      ASSERT_TRUE(tokens);
      expect_sound_offsets(*tokens, static_cast<int32_t>(text.size()));
    }
  }
}

// Q10
TEST(TokenizerProperty, PlainTextNeverYieldsASpecialIdButUnknown) {
  const auto tokenizer = small_tokenizer();
  const SpecialIds& special = tokenizer->special();
  std::mt19937 random(8);
  for (int round = 0; round < 500; ++round) {
    const auto tokens = tokenizer->encode(encode_utf8(random_text(random, 50)));
    ASSERT_TRUE(tokens);
    for (const Token& token : *tokens) {
      EXPECT_TRUE(token.id == special.unk || (token.id > special.mask && token.id < special.prefix))
          << token.id;
    }
  }
}

// A text is the sum of its parts when a space stands between them.
TEST(TokenizerProperty, PartsEncodeAsInTheWhole) {
  const auto tokenizer = small_tokenizer();
  std::mt19937 random(9);
  for (int round = 0; round < 500; ++round) {
    std::u32string left = random_text(random, 20);
    const std::u32string right = random_text(random, 20);
    auto sum = *tokenizer->encode(encode_utf8(left));
    const auto tail = *tokenizer->encode(encode_utf8(right));
    const auto shift = static_cast<int32_t>(left.size()) + 1;
    for (const Token& token : tail) {
      sum.push_back({token.id, token.start + shift, token.end + shift});
    }
    const std::u32string whole = left.append(U" ").append(right);
    EXPECT_EQ(*tokenizer->encode(encode_utf8(whole)), sum);
  }
}

TEST(TokenizerUnderLoad, OneMegabyteOfText) {
  const auto tokenizer = small_tokenizer();
  std::string chinese;
  while (chinese.size() < (1u << 20)) chinese += "你好";
  const auto tokens = tokenizer->encode(chinese);
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->size(), chinese.size() / 3);
  EXPECT_EQ(tokens->back().end, static_cast<int32_t>(chinese.size() / 3));
  EXPECT_EQ(tokens_of(*tokenizer, std::string(1u << 20, 'a')), "[UNK] 0-1048576");
  EXPECT_EQ(tokenizer->encode(std::string(1u << 20, '['), SpecialMatching::kAll)->size(), 1u << 20);
  EXPECT_TRUE(tokenizer->encode(std::string(1u << 20, '\0'))->empty());
}

TEST(TokenizerUnderLoad, ThreadsShareOneTokenizer) {
  const auto tokenizer = *Tokenizer::load(mini_model_dir());
  std::mt19937 random(10);
  std::vector<std::string> texts;
  texts.reserve(200);
  for (int i = 0; i < 200; ++i) texts.push_back(encode_utf8(random_text(random, 80)));
  std::vector<std::vector<Token>> expected;
  expected.reserve(texts.size());
  for (const std::string& text : texts) expected.push_back(*tokenizer->encode(text));
  std::vector<int> differences(8, 0);
  {
    std::vector<std::jthread> threads;
    threads.reserve(differences.size());
    for (int& different : differences) {
      threads.emplace_back([&tokenizer, &texts, &expected, &different] {
        for (size_t i = 0; i < texts.size(); ++i) {
          if (*tokenizer->encode(texts[i]) != expected[i]) ++different;
        }
      });
    }
  }
  EXPECT_EQ(differences, std::vector<int>(8, 0));
}

}  // namespace
}  // namespace rex::text
