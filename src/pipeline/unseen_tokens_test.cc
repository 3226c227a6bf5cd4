#include "pipeline/unseen_tokens.h"

#include <gtest/gtest.h>

#include "engine/batch.h"

namespace rex::pipeline {
namespace {

using engine::TokenWord;

class UnseenTokensTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made =
        text::Tokenizer::from_vocabulary("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n，\n。\n甲\n乙\n");
    ASSERT_TRUE(made) << made.error().to_string();
    tokenizer_ = *made;
  }
  // Whether each token of "甲，乙。" and the [SEP] behind it is marked.
  std::vector<bool> marked(const UnseenTokens& unseen) {
    const std::vector<text::Token> tokens = tokenizer_->encode("甲，乙。").value();
    std::vector<int32_t> ids;
    for (const text::Token& token : tokens) ids.push_back(token.id);
    ids.push_back(tokenizer_->special().sep);
    std::vector<uint32_t> words(ids.size(), TokenWord::pack(7, 0, 0));
    unseen.mark(ids, words);
    std::vector<bool> result;
    for (const uint32_t word : words) {
      EXPECT_EQ(TokenWord::position(word), 7U);
      EXPECT_EQ(TokenWord::type(word), 0U);
      result.push_back((word & TokenWord::kUnseen) != 0);
    }
    return result;
  }
  std::shared_ptr<const text::Tokenizer> tokenizer_;
};

TEST_F(UnseenTokensTest, TheDefaultMarksNothing) {
  EXPECT_EQ(marked({}), std::vector<bool>(5, false));
}

TEST_F(UnseenTokensTest, PunctuationIsMarkedAndNothingElse) {
  EXPECT_EQ(marked(UnseenTokens::punctuation(*tokenizer_, 0)),
            (std::vector<bool>{false, true, false, true, false}));
}

TEST_F(UnseenTokensTest, ShortWindowsStayWhole) {
  EXPECT_EQ(marked(UnseenTokens::punctuation(*tokenizer_, 5)), std::vector<bool>(5, false));
  EXPECT_EQ(marked(UnseenTokens::punctuation(*tokenizer_, 4)),
            (std::vector<bool>{false, true, false, true, false}));
}

}  // namespace
}  // namespace rex::pipeline
