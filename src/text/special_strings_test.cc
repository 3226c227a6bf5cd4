#include "text/special_strings.h"

#include <gtest/gtest.h>

#include "text/text_test_support.h"

namespace rex::text {
namespace {

class SpecialStringsTest : public testing::Test {
 protected:
  Vocabulary vocabulary_ = *Vocabulary::parse(kSmallVocabulary);
  SpecialStrings specials_{vocabulary_};
};

TEST_F(SpecialStringsTest, T4FindsAllNine) {
  for (const int32_t id : vocabulary_.special_list()) {
    const std::string& text = vocabulary_.entries()[static_cast<size_t>(id)];
    const auto match = specials_.find(U"[[" + std::u32string(text.begin(), text.end()) + U"]", 0);
    ASSERT_TRUE(match) << text;
    EXPECT_EQ(match->id, id);
    EXPECT_EQ(match->begin, 2u);
    EXPECT_EQ(match->end, 2 + text.size());
  }
}

TEST_F(SpecialStringsTest, T5MatchesExactlyFromTheLeft) {
  const std::u32string text = U"[sep][ SEP ][SEP[CLS][SEP]";
  const auto first = specials_.find(text, 0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->id, vocabulary_.special().cls);
  const auto second = specials_.find(text, first->end);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->id, vocabulary_.special().sep);
  EXPECT_FALSE(specials_.find(text, second->end));
}

TEST_F(SpecialStringsTest, T4UnusedEntriesAreNotSpecial) {
  EXPECT_FALSE(specials_.find(U"[unused1]", 0));
}

}  // namespace
}  // namespace rex::text
