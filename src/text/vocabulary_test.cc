#include "text/vocabulary.h"

#include <gtest/gtest.h>

#include <string>

namespace rex::text {
namespace {

const std::string kFive = "[PAD]\n[CLS]\n[SEP]\n[UNK]\n[MASK]\n";

TEST(Vocabulary, T1LineNumbersAreIds) {
  const auto vocabulary = Vocabulary::parse("a\n" + kFive + "好\n");
  ASSERT_TRUE(vocabulary);
  EXPECT_EQ(vocabulary->entries()[0], "a");
  EXPECT_EQ(vocabulary->entries()[6], "好");
  EXPECT_EQ(vocabulary->special().pad, 1);
  EXPECT_EQ(vocabulary->special().mask, 5);
}

TEST(Vocabulary, T3AddsFourTokensInOrder) {
  const auto vocabulary = Vocabulary::parse(kFive + "a\n");
  ASSERT_TRUE(vocabulary);
  ASSERT_EQ(vocabulary->entries().size(), 10u);
  EXPECT_EQ(vocabulary->special().prefix, 6);
  EXPECT_EQ(vocabulary->special().type, 7);
  EXPECT_EQ(vocabulary->special().classify, 8);
  EXPECT_EQ(vocabulary->special().multi_classify, 9);
  EXPECT_EQ(vocabulary->entries()[9], "[MULTICLASSIFY]");
  EXPECT_EQ(vocabulary->special_list(), (std::array<int32_t, 9>{0, 1, 2, 3, 4, 6, 7, 8, 9}));
}

TEST(Vocabulary, T3AddedTokensThatTheFileHoldsKeepTheirIds) {
  const auto vocabulary =
      Vocabulary::parse(kFive + "[PREFIX]\n[TYPE]\n[CLASSIFY]\n[MULTICLASSIFY]\n");
  ASSERT_TRUE(vocabulary);
  EXPECT_EQ(vocabulary->entries().size(), 9u);
  EXPECT_EQ(vocabulary->special().prefix, 5);
  EXPECT_EQ(vocabulary->special().multi_classify, 8);
}

TEST(Vocabulary, TheLastLineNeedsNoEndAndCarriageReturnsAreStripped) {
  const auto vocabulary = Vocabulary::parse("[PAD]\r\n[CLS]\r\n[SEP]\r\n[UNK]\r\n[MASK]\r\na");
  ASSERT_TRUE(vocabulary);
  EXPECT_EQ(vocabulary->entries()[4], "[MASK]");
  EXPECT_EQ(vocabulary->entries()[5], "a");
}

struct Broken {
  const char* what;
  std::string content;
  const char* place;
  const char* message_part;
};

TEST(Vocabulary, RefusesBrokenFilesWithTheLine) {
  const Broken cases[] = {
      {"empty", "", "vocab.txt", "no entries"},
      {"no specials", "a\nb\n", "vocab.txt", "[PAD], [CLS], [SEP], [UNK], [MASK]"},
      {"one missing", "[PAD]\n[CLS]\n[SEP]\n[MASK]\n", "vocab.txt", "tokens: [UNK]"},
      {"repeated", kFive + "好\nb\n好\n", "vocab.txt line 8", "line 6"},
      {"repeated special", kFive + "[SEP]\n", "vocab.txt line 6", "[SEP]"},
      {"empty line", kFive + "a\n\nb\n", "vocab.txt line 7", "empty"},
      {"empty line at the end", kFive + "\n", "vocab.txt line 6", "empty"},
      {"not UTF-8", kFive + "a\xC4\xE3\n", "vocab.txt line 6", "byte 1"},
  };
  for (const Broken& broken : cases) {
    const auto vocabulary = Vocabulary::parse(broken.content);
    ASSERT_FALSE(vocabulary) << broken.what;
    EXPECT_EQ(vocabulary.error().code, ErrorCode::kVocabularyInvalid) << broken.what;
    EXPECT_EQ(vocabulary.error().place, broken.place) << broken.what;
    EXPECT_NE(vocabulary.error().message.find(broken.message_part), std::string::npos)
        << broken.what << ": " << vocabulary.error().message;
  }
}

TEST(Vocabulary, RefusesTooManyEntriesAndTooManyBytes) {
  std::string many;
  for (size_t i = 0; i <= kMaxVocabularyEntries; ++i) many += "a\n";
  const auto entries = Vocabulary::parse(many);
  ASSERT_FALSE(entries);
  EXPECT_NE(entries.error().message.find("entries"), std::string::npos);
  const auto bytes = Vocabulary::parse(std::string(kMaxVocabularyBytes + 1, 'a'));
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.error().message.find("bytes"), std::string::npos);
}

}  // namespace
}  // namespace rex::text
