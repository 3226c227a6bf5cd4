#include "pipeline/packer.h"

#include <gtest/gtest.h>

#include "core/check.h"
#include "engine/collect_links.h"

namespace rex::pipeline {
namespace {

constexpr text::SpecialIds kSpecial{.pad = 0,
                                    .cls = 1,
                                    .sep = 2,
                                    .unk = 3,
                                    .mask = 4,
                                    .prefix = 5,
                                    .type = 6,
                                    .classify = 7,
                                    .multi_classify = 8};

class PackerTest : public testing::Test {
 protected:
  PackerTest() {
    hint_.ids = {1, 5, 6, 100, 6, 101, 2};
    hint_.types = {{0, 0, 2}, {0, 1, 4}};
    for (int32_t i = 0; i < 600; ++i) tokens_.push_back({200, i, i + 1});
  }
  prompt::Pass pass(int32_t text_tokens) {
    return {.hint = &hint_, .tokens = &tokens_, .window = {0, text_tokens}};
  }

  prompt::Hint hint_;
  std::vector<text::Token> tokens_;
  Packer packer_{kSpecial, {.tokens = 600, .passes = 3}};
};

TEST_F(PackerTest, HidesTokensOfTheTextOnly) {
  auto tokenizer = text::Tokenizer::from_vocabulary(
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n甲\n，\n[unused1]\n[unused2]\n");
  ASSERT_TRUE(tokenizer) << tokenizer.error().to_string();
  const text::SpecialIds special = (*tokenizer)->special();
  prompt::Hint hint;
  hint.ids = {special.cls, special.prefix, 6, special.type, 6, special.sep};
  hint.types = {{0, 0, 3}};
  const std::vector<text::Token> tokens = {{5, 0, 1}, {6, 1, 2}, {5, 2, 3}};
  Packer packer(special, {.tokens = 600, .passes = 3}, UnseenTokens::punctuation(**tokenizer, 0));
  ASSERT_TRUE(packer.add({.hint = &hint, .tokens = &tokens, .window = {0, 3}}));
  std::vector<size_t> hidden;
  for (size_t t = 0; t < packer.batch().token_words.size(); ++t) {
    if ((packer.batch().token_words[t] & engine::TokenWord::kUnseen) != 0) hidden.push_back(t);
  }
  EXPECT_EQ(hidden, std::vector<size_t>{7});
}

TEST_F(PackerTest, LaysPassesEndToEnd) {
  prompt::Pass second = pass(1);
  second.class_cells = true;
  second.logit_floor = 2.0F;
  ASSERT_TRUE(packer_.add(pass(3)));
  ASSERT_TRUE(packer_.add(second));
  const engine::PackedBatch batch = packer_.batch();
  ASSERT_TRUE(engine::check_batch(batch, {.tokens = 600, .passes = 3}));
  EXPECT_EQ(batch.token_ids.size(), 11U + 9U);
  EXPECT_EQ(batch.passes[1].token_begin, 11);
  EXPECT_EQ(batch.passes[1].token_count, 9);
  EXPECT_EQ(batch.passes[1].text_begin, 7);
  EXPECT_EQ(batch.passes[1].type_begin, 2);
  EXPECT_EQ(batch.passes[1].type_count, 2);
  EXPECT_TRUE(batch.passes[1].class_cells);
  EXPECT_EQ(batch.passes[1].logit_floor, 2.0F);
  EXPECT_EQ(batch.type_tokens[3], 4);
  EXPECT_EQ(engine::TokenWord::position(batch.token_words[11]), 0U);
  EXPECT_EQ(engine::TokenWord::type(batch.token_words[11 + 4]), 2U);
}

TEST_F(PackerTest, IsFullByTokensOrByPasses) {
  ASSERT_TRUE(packer_.add(pass(492)));  // 500 tokens
  EXPECT_TRUE(packer_.fits(pass(92)));
  EXPECT_FALSE(packer_.fits(pass(93)));
  ASSERT_TRUE(packer_.add(pass(1)));
  ASSERT_TRUE(packer_.add(pass(1)));
  EXPECT_FALSE(packer_.fits(pass(1)));
  EXPECT_THROW((void)packer_.add(pass(1)), InternalError);
  packer_.clear();
  EXPECT_TRUE(packer_.empty());
  EXPECT_TRUE(packer_.fits(pass(492)));
}

TEST_F(PackerTest, ReusesItsArrays) {
  ASSERT_TRUE(packer_.add(pass(492)));
  const int32_t* ids = packer_.batch().token_ids.data();
  const uint32_t* words = packer_.batch().token_words.data();
  for (int round = 0; round < 3; ++round) {
    packer_.clear();
    ASSERT_TRUE(packer_.add(pass(400)));
    ASSERT_TRUE(packer_.add(pass(100)));
    EXPECT_EQ(packer_.batch().token_ids.data(), ids);
    EXPECT_EQ(packer_.batch().token_words.data(), words);
  }
}

TEST_F(PackerTest, ARefusedPassLeavesTheBatchAsItWas) {
  ASSERT_TRUE(packer_.add(pass(3)));
  tokens_[1].id = kSpecial.prefix;
  ASSERT_FALSE(packer_.add(pass(3)));
  EXPECT_EQ(packer_.batch().token_ids.size(), 11U);
  EXPECT_TRUE(engine::check_batch(packer_.batch(), {.tokens = 600, .passes = 3}));
}

}  // namespace
}  // namespace rex::pipeline
