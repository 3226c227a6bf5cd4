// The rules of the specification, each with the specification's own examples.
#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "support/test_data.h"
#include "text/text_test_support.h"

namespace rex::text {
namespace {

struct Vector {
  const char* text;
  const char* tokens;
};

// "Reference vectors" of the specification that hold for any vocabulary with these pieces.
constexpr Vector kReferenceVectors[] = {
    {"[CLASSIFY]好", "[CLASSIFY] 0-10 好 10-11"},
    {"人物: 张三", "人 0-1 物 1-2 : 2-3 张 4-5 三 5-6"},
    {"İstanbul", "is 0-2 ##t 2-3 ##an 3-5 ##b 5-6 ##ul 6-8"},
    {"HELLO world", "he 0-2 ##llo 2-5 wor 6-9 ##ld 9-11"},
    {"naïve", "na 0-2 ##ive 2-5"},
    {"3.5kg", "3 0-1 . 1-2 5 2-3 ##k 3-4 ##g 4-5"},
    {"\u200B你好", "你 1-2 好 2-3"},
    {"你\n\n好\t", "你 0-1 好 3-4"},
    {"１．５", "[UNK] 0-1 [UNK] 1-2 [UNK] 2-3"},
    {"한국어 ab", "[UNK] 0-3 ab 4-6"},
    {"##a", "# 0-1 # 1-2 a 2-3"},
    {"——", "— 0-1 — 1-2"},
    {"don't", "don 0-3 ' 3-4 t 4-5"},
    // T4, T5
    {"[unused1]", "[ 0-1 un 1-3 ##us 3-5 ##ed 5-7 ##1 7-8 ] 8-9"},
    {"x[SEP]y", "x 0-1 [SEP] 1-6 y 6-7"},
    // T12
    {"25℃", "[UNK] 0-3"},
    {"a😀b", "[UNK] 0-3"},
    {"￥100", "[UNK] 0-4"},
    {"5‰", "5 0-1 [UNK] 1-2"},
    {"你😀好", "你 0-1 [UNK] 1-2 好 2-3"},
    // T14
    {"1944", "1 0-1 ##9 1-2 ##4 2-3 ##4 3-4"},
    {"iPhone15Pro", "iphon 0-5 ##e 5-6 ##1 6-7 ##5 7-8 ##p 8-9 ##ro 9-11"},
    // T15
    {"かな Привет αβ", "[UNK] 0-2 [UNK] 3-9 [UNK] 10-12"},
    // T17
    {"\u200Bab", "ab 1-3"},
    {"ab\u200B", "ab 0-2"},
    {"a\u200Bb", "ab 0-3"},
    {"e\u0301", "e 0-1"},
    {"é", "e 0-1"},
    // T18
    {" \u200B\t", ""},
    {"", ""},
};

TEST(Tokenizer, ReferenceVectorsOnASmallVocabulary) {
  const auto tokenizer = small_tokenizer();
  for (const Vector& vector : kReferenceVectors) {
    EXPECT_EQ(tokens_of(*tokenizer, vector.text, SpecialMatching::kAll), vector.tokens)
        << vector.text;
  }
}

TEST(Tokenizer, ReferenceVectorsOnTheReleaseVocabulary) {
  REX_NEED_SHARED_GOLDEN();
  const auto tokenizer = *Tokenizer::load(shared_golden_dir() / "tiny-a");
  for (const Vector& vector : kReferenceVectors) {
    EXPECT_EQ(tokens_of(*tokenizer, vector.text, SpecialMatching::kAll), vector.tokens)
        << vector.text;
  }
}

TEST(Tokenizer, T1T2T3IdsOfTheRelease) {
  REX_NEED_SHARED_GOLDEN();
  const auto tokenizer = *Tokenizer::load(shared_golden_dir() / "tiny-a");
  const SpecialIds& special = tokenizer->special();
  EXPECT_EQ(tokenizer->size(), 12804);
  EXPECT_EQ(
      (std::vector<int32_t>{special.pad, special.cls, special.sep, special.unk, special.mask}),
      (std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ((std::vector<int32_t>{special.prefix, special.type, special.classify,
                                  special.multi_classify}),
            (std::vector<int32_t>{12800, 12801, 12802, 12803}));
  EXPECT_EQ(tokenizer->token_text(5), "[unused1]");
  EXPECT_EQ(tokenizer->token_text(206), "0");
  EXPECT_EQ(tokenizer->token_text(207), "##0");
  const auto tokens = tokenizer->encode("[CLASSIFY]好", SpecialMatching::kAll);
  ASSERT_TRUE(tokens);
  EXPECT_EQ(*tokens, (std::vector<Token>{{12802, 0, 10}, {1644, 10, 11}}));
}

// Q10: in the product a text is only text.
TEST(Tokenizer, Q10SpecialStringsInTheTextAreTextUnlessAskedFor) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokens_of(*tokenizer, "x[SEP]y"), "x 0-1 [ 1-2 sep 2-5 ] 5-6 y 6-7");
  EXPECT_EQ(tokens_of(*tokenizer, "[CLASSIFY]"), "[ 0-1 classify 1-9 ] 9-10");
}

TEST(Tokenizer, T4SpecialStringsMatchExactlyAndAbsorbNothing) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokens_of(*tokenizer, "[classify]", SpecialMatching::kAll),
            "[ 0-1 classify 1-9 ] 9-10");
  EXPECT_EQ(tokens_of(*tokenizer, "[ CLASSIFY ]", SpecialMatching::kAll),
            "[ 0-1 classify 2-10 ] 11-12");
  EXPECT_EQ(tokens_of(*tokenizer, "a [PAD] b[MASK][TYPE]", SpecialMatching::kAll),
            "a 0-1 [PAD] 2-7 b 8-9 [MASK] 9-15 [TYPE] 15-21");
}

// T5: each piece is split on its own, so no word reaches across a match.
TEST(Tokenizer, T5PiecesAroundAMatchDoNotJoin) {
  EXPECT_EQ(tokens_of(*small_tokenizer(), "a[CLS]b", SpecialMatching::kAll),
            "a 0-1 [CLS] 1-6 b 6-7");
}

TEST(Tokenizer, T10NewerMarksStayInTheWord) {
  EXPECT_EQ(tokens_of(*small_tokenizer(), "a\u08D4"), "[UNK] 0-2");
  EXPECT_EQ(tokens_of(*small_tokenizer(), "a\u0301"), "a 0-1");
}

TEST(Tokenizer, T11PunctuationIsTestedAfterNormalisation) {
  EXPECT_EQ(tokens_of(*small_tokenizer(), "a\u037Eb"), "a 0-1 ; 1-2 b 2-3");
}

TEST(Tokenizer, T13WordLengthCountsNormalisedChars) {
  const auto tokenizer = small_tokenizer();
  std::string word;
  for (int i = 0; i < 100; ++i) word += "a\u0301";
  const auto tokens = tokenizer->encode(word);
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->size(), 100u);
  EXPECT_EQ(tokens->back(), (Token{tokens->back().id, 198, 199}));
  EXPECT_EQ(tokens_of(*tokenizer, std::string(101, 'a')), "[UNK] 0-101");
}

TEST(Tokenizer, T15UpperCaseEntriesAreUnreachable) {
  EXPECT_EQ(tokens_of(*small_tokenizer(), "HELLO"), "he 0-2 ##llo 2-5");
}

TEST(Tokenizer, T17CompatibilityIdeographsKeepTheirPlace) {
  EXPECT_EQ(tokens_of(*small_tokenizer(), "a\uF900\uF901"), "a 0-1 豈 1-2 更 2-3");
}

TEST(Tokenizer, T19OffsetsCountCodePoints) {
  EXPECT_EQ(tokens_of(*small_tokenizer(), "👍🏽 好"), "[UNK] 0-2 好 3-4");
}

// Q28
TEST(Tokenizer, Q28DroppedCharsStayInTheOffsets) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(tokens_of(*small_tokenizer(), "\0你\0\0好\uFE0F"sv), "你 1-2 好 4-5");
}

TEST(Tokenizer, T28InvalidUnicodeIsAnErrorThatNamesTheByte) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokens_of(*tokenizer, "你\xED\xA0\x80"), "ENCODING_INVALID byte 3");
  EXPECT_EQ(tokens_of(*tokenizer, "ab\xE4\xBD"), "ENCODING_INVALID byte 2");
}

TEST(Tokenizer, NamesOfIds) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer->token_text(tokenizer->special().multi_classify), "[MULTICLASSIFY]");
  EXPECT_EQ(tokenizer->token_text(tokenizer->size()), "[unknown id]");
  EXPECT_EQ(tokenizer->token_text(-1), "[unknown id]");
}

TEST(TokenizerLoad, ReadsTheModelOfTheRepository) {
  const auto tokenizer = Tokenizer::load(mini_model_dir());
  ASSERT_TRUE(tokenizer) << tokenizer.error().to_string();
  EXPECT_EQ((*tokenizer)->size(), 12804);
  EXPECT_EQ(tokens_of(**tokenizer, "你好"), "你 0-1 好 1-2");
}

TEST(TokenizerLoad, NamesTheMissingFile) {
  const TempDir dir;
  const auto without_vocabulary = Tokenizer::load(dir.path());
  ASSERT_FALSE(without_vocabulary);
  EXPECT_EQ(without_vocabulary.error().code, ErrorCode::kFileNotFound);
  EXPECT_NE(without_vocabulary.error().place.find("vocab.txt"), std::string::npos);
  dir.write("vocab.txt", kSmallVocabulary);
  const auto without_config = Tokenizer::load(dir.path());
  ASSERT_FALSE(without_config);
  EXPECT_EQ(without_config.error().code, ErrorCode::kFileNotFound);
  EXPECT_NE(without_config.error().place.find("tokenizer_config.json"), std::string::npos);
}

TEST(TokenizerLoad, PlacesOfErrorsBeginWithTheFolder) {
  const TempDir dir;
  const std::string folder = dir.path().string() + "/";
  dir.write("vocab.txt", "a\n\n");
  dir.write("tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_EQ(Tokenizer::load(dir.path()).error().place,
            folder + "tokenizer_config.json/do_lower_case");
  dir.write("tokenizer_config.json", "{}");
  EXPECT_EQ(Tokenizer::load(dir.path()).error().place, folder + "vocab.txt line 2");
}

}  // namespace
}  // namespace rex::text
