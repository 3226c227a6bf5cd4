#include "prompt/hint.h"

#include <gtest/gtest.h>

#include "prompt/prompt_test_support.h"

namespace rex::prompt {
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

std::vector<LabelNode> labels_of_lengths(std::initializer_list<int> lengths) {
  std::vector<LabelNode> labels;
  for (const int length : lengths) {
    labels.push_back({.label = {},
                      .ids = std::vector<int32_t>(static_cast<size_t>(length), 100),
                      .children = {},
                      .path = {}});
  }
  return labels;
}

std::vector<int32_t> prefix_of_length(int length) {
  return std::vector<int32_t>(static_cast<size_t>(length), 200);
}

// (ask, label) of every type of a hint.
std::vector<std::pair<int32_t, int32_t>> placed(const Hint& hint) {
  std::vector<std::pair<int32_t, int32_t>> types;
  for (const HintType& type : hint.types) types.emplace_back(type.ask, type.label);
  return types;
}
using Placed = std::vector<std::pair<int32_t, int32_t>>;

TEST(BuildHints, P8_OneGroupIsPrefixThenTypes) {
  const auto labels = labels_of_lengths({1, 2});
  const Ask ask{{}, labels};
  const Hints built = build_hints({&ask, 1}, {}, kSpecial);
  ASSERT_EQ(built.hints.size(), 1U);
  EXPECT_EQ(built.hints[0].ids, (std::vector<int32_t>{1, 5, 6, 100, 6, 100, 100, 2}));
  EXPECT_EQ(built.hints[0].types, (std::vector<HintType>{{0, 0, 2}, {0, 1, 4}}));
  EXPECT_TRUE(built.skipped.empty());
}

TEST(BuildHints, P8_P12_GroupsFollowOneAnotherAndTypesKnowTheirToken) {
  const auto labels = labels_of_lengths({1, 0});
  const auto a = prefix_of_length(2), b = prefix_of_length(1);
  const Ask asks[] = {{a, labels}, {b, labels}};
  const Hints built = build_hints(asks, {}, kSpecial);
  ASSERT_EQ(built.hints.size(), 1U);
  EXPECT_EQ(built.hints[0].ids,
            (std::vector<int32_t>{1, 5, 200, 200, 6, 100, 6, 5, 200, 6, 100, 6, 2}));
  for (const HintType& type : built.hints[0].types) {
    EXPECT_EQ(built.hints[0].ids[static_cast<size_t>(type.token)], kSpecial.type);
  }
}

// 2 + 1 + 60 + 61 + 66 + 66 = 256: full to the last token; one more opens a second hint.
TEST(BuildHints, P9_P11_FillsTheBudgetExactly) {
  const auto fits = labels_of_lengths({59, 60, 65, 65});
  const auto over = labels_of_lengths({59, 60, 65, 66});
  const Ask ask_fits{{}, fits}, ask_over{{}, over};
  const Hints one = build_hints({&ask_fits, 1}, {}, kSpecial);
  ASSERT_EQ(one.hints.size(), 1U);
  EXPECT_EQ(one.hints[0].ids.size(), 256U);
  const Hints two = build_hints({&ask_over, 1}, {}, kSpecial);
  ASSERT_EQ(two.hints.size(), 2U);
  EXPECT_EQ(placed(two.hints[1]), (Placed{{0, 3}}));
}

TEST(BuildHints, P11_APrefixWhoseLabelsDoNotFitIsRepeatedInTheNextHint) {
  const auto labels = labels_of_lengths({99, 99, 99});
  const auto prefix = prefix_of_length(19);
  const Ask ask{prefix, labels};
  const Hints built = build_hints({&ask, 1}, {}, kSpecial);
  ASSERT_EQ(built.hints.size(), 2U);
  EXPECT_EQ(placed(built.hints[0]), (Placed{{0, 0}, {0, 1}}));
  EXPECT_EQ(placed(built.hints[1]), (Placed{{0, 2}}));
  EXPECT_EQ(built.hints[1].ids[1], kSpecial.prefix);
  EXPECT_EQ(built.hints[1].ids.size(), 2U + 20U + 100U);
}

TEST(BuildHints, P11_ANewGroupCountsItsPrefixWithItsFirstLabel) {
  const auto big = labels_of_lengths({123, 100}), small = labels_of_lengths({9});
  const auto a = prefix_of_length(0), b = prefix_of_length(19);
  const Ask asks[] = {{a, big}, {b, small}};  // 2 + 1 + 124 + 101 = 228; then 20 + 10 is too much
  const Hints built = build_hints(asks, {}, kSpecial);
  ASSERT_EQ(built.hints.size(), 2U);
  EXPECT_EQ(placed(built.hints[1]), (Placed{{1, 0}}));
}

TEST(BuildHints, P10_OverlongPrefixesAndLabelsAreSkippedAndTold) {
  const auto labels = labels_of_lengths({125, 124, 1});
  const auto fits = prefix_of_length(124), over = prefix_of_length(125);
  const Ask asks[] = {{over, labels}, {fits, labels}};
  const Hints built = build_hints(asks, {}, kSpecial);
  EXPECT_EQ(built.skipped, (std::vector<Skipped>{{0, Skipped::kAllLabels}, {1, 0}}));
  ASSERT_EQ(built.hints.size(), 1U);
  EXPECT_EQ(placed(built.hints[0]), (Placed{{1, 1}, {1, 2}}));
}

TEST(BuildHints, P13_NothingToAskGivesNoHint) {
  EXPECT_TRUE(build_hints({}, {}, kSpecial).hints.empty());
  const auto labels = labels_of_lengths({125});
  const Ask ask{{}, labels};
  EXPECT_TRUE(build_hints({&ask, 1}, {}, kSpecial).hints.empty());
}

TEST(BuildHints, ShortPassesSkipAPairThatFitsNoHint) {
  const PromptLimits limits = limits_for(32);  // hint 16, item 13
  const auto labels = labels_of_lengths({8, 3});
  const auto prefix = prefix_of_length(6);
  const Ask ask{prefix, labels};
  const Hints built = build_hints({&ask, 1}, limits, kSpecial);
  EXPECT_EQ(built.skipped, (std::vector<Skipped>{{0, 0}}));
  ASSERT_EQ(built.hints.size(), 1U);
  EXPECT_EQ(placed(built.hints[0]), (Placed{{0, 1}}));
}

TEST(PromptLimits, P3_DefaultsAreTheOriginalsAndEveryLengthLeavesRoom) {
  EXPECT_EQ(limits_for(512).hint, 256);
  EXPECT_EQ(limits_for(512).item, 125);
  for (int32_t pass = kMinPassTokens; pass <= kMaxPassTokens; ++pass) {
    const PromptLimits limits = limits_for(pass);
    const auto labels = labels_of_lengths({limits.item - 1});
    const Ask ask{{}, labels};
    const Hints built = build_hints({&ask, 1}, limits, kSpecial);
    ASSERT_EQ(built.hints.size(), 1U) << pass;
    EXPECT_LE(built.hints[0].ids.size(), static_cast<size_t>(limits.hint)) << pass;
    EXPECT_GE(limits.pass - limits.hint, 8) << pass;
  }
}

}  // namespace
}  // namespace rex::prompt
