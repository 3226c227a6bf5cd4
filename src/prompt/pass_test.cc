#include "prompt/pass.h"

#include <gtest/gtest.h>

namespace rex::prompt {
namespace {

Hint hint_of_size(int32_t size) {
  Hint hint;
  hint.ids.assign(static_cast<size_t>(size), 50);
  hint.types.push_back({0, 0, 1});
  return hint;
}

std::vector<text::Token> tokens_of(int32_t count) {
  std::vector<text::Token> tokens;
  for (int32_t i = 0; i < count; ++i) tokens.push_back({1000 + i, 2 * i, 2 * i + 1});
  return tokens;
}

std::vector<std::pair<int32_t, int32_t>> windows_of(const std::vector<Pass>& passes) {
  std::vector<std::pair<int32_t, int32_t>> windows;
  for (const Pass& pass : passes) windows.emplace_back(pass.window.begin, pass.window.end);
  return windows;
}
using Windows = std::vector<std::pair<int32_t, int32_t>>;

// The specification's example: at most 20 tokens, s = 4, 7 hint tokens, hence windows of 10.
TEST(SpanPasses, T23_Example) {
  const Hint hint = hint_of_size(9);  // [CLS] + 7 + [SEP]
  const PromptLimits limits{20, 10, 7};
  const auto cut = [&](int32_t count) {
    std::vector<Pass> passes;
    const auto tokens = tokens_of(count);
    append_span_passes(hint, tokens, limits, 4, passes);
    return windows_of(passes);
  };
  EXPECT_EQ(cut(24), (Windows{{0, 10}, {6, 16}, {12, 22}, {18, 24}}));
  EXPECT_EQ(cut(10), (Windows{{0, 10}}));
  EXPECT_EQ(cut(11), (Windows{{0, 10}, {6, 11}}));
}

TEST(SpanPasses, T21_T26_IdsAreHintTextSep) {
  const Hint hint = hint_of_size(3);
  const auto tokens = tokens_of(2);
  std::vector<Pass> passes;
  append_span_passes(hint, tokens, {}, 32, passes);
  ASSERT_EQ(passes.size(), 1U);
  std::vector<int32_t> ids;
  passes[0].append_ids(2, ids);
  EXPECT_EQ(ids, (std::vector<int32_t>{50, 50, 50, 1000, 1001, 2}));
  EXPECT_EQ(passes[0].token_count(), 6);
  EXPECT_EQ(passes[0].text_begin(), 3);

  const std::vector<text::Token> none;
  passes.clear();
  append_span_passes(hint, none, {}, 32, passes);
  ASSERT_EQ(passes.size(), 1U);
  EXPECT_EQ(passes[0].token_count(), 4);
}

TEST(SpanPasses, T23_TokensOfLaterWindowsKeepTheirOffsets) {
  const Hint hint = hint_of_size(9);
  const auto tokens = tokens_of(24);
  std::vector<Pass> passes;
  append_span_passes(hint, tokens, {20, 10, 7}, 4, passes);
  EXPECT_EQ(passes[1].token_at(9)->id, 1006);
  EXPECT_EQ(passes[1].token_at(9)->start, 12);
  EXPECT_EQ(passes[1].token_at(8), nullptr);
  EXPECT_EQ(passes[1].token_at(19), nullptr);  // the final [SEP]
}

TEST(SpanPasses, AStrideAboveHalfAWindowIsCut) {
  const Hint hint = hint_of_size(9);
  const auto tokens = tokens_of(15);
  std::vector<Pass> passes;
  append_span_passes(hint, tokens, {20, 10, 7}, 32, passes);
  EXPECT_EQ(windows_of(passes), (Windows{{0, 10}, {5, 15}}));
}

TEST(ClassPasses, Q14_EveryWindowHasTheMarkerAndOneTokenLess) {
  const Hint hint = hint_of_size(9);
  const auto tokens = tokens_of(20);
  std::vector<Pass> passes;
  append_class_passes(hint, tokens, {20, 10, 7}, 7, passes);
  EXPECT_EQ(windows_of(passes), (Windows{{0, 9}, {9, 18}, {18, 20}}));
  std::vector<int32_t> ids;
  passes[2].append_ids(2, ids);
  EXPECT_EQ(std::vector<int32_t>(ids.begin() + 9, ids.end()),
            (std::vector<int32_t>{7, 1018, 1019, 2}));
  EXPECT_EQ(passes[0].token_count(), 20);
  EXPECT_EQ(passes[0].token_at(9), nullptr);  // the marker
  EXPECT_EQ(passes[0].token_at(10)->id, 1000);
}

TEST(ClassPasses, Q24_AMarkerAloneIsStillAPass) {
  const Hint hint = hint_of_size(3);
  const std::vector<text::Token> none;
  std::vector<Pass> passes;
  append_class_passes(hint, none, {}, 7, passes);
  ASSERT_EQ(passes.size(), 1U);
  std::vector<int32_t> ids;
  passes[0].append_ids(2, ids);
  EXPECT_EQ(ids, (std::vector<int32_t>{50, 50, 50, 7, 2}));
}

}  // namespace
}  // namespace rex::prompt
