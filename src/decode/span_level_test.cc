#include "decode/span_level.h"

#include <gtest/gtest.h>

namespace rex::decode {
namespace {

// start, end, confidence of what is left, in order.
using Left = std::vector<std::tuple<int32_t, int32_t, double>>;

Left left_of(const SpanLevel& level) {
  Left left;
  for (const FoundSpan& span : level.spans()) {
    left.emplace_back(span.start, span.end, span.confidence);
  }
  return left;
}

SpanLevel level_of(const std::vector<FoundSpan>& spans) {
  SpanLevel level;
  for (const FoundSpan& span : spans) level.add(span);
  return level;
}

TEST(SpanLevel, Q6_ASpanFoundInTwoWindowsIsOneAndKeepsItsFirstConfidence) {
  const SpanLevel level = level_of({{0, 0, 0, 3, 5, 0.8}, {0, 0, 0, 3, 5, 0.9}});
  EXPECT_EQ(left_of(level), (Left{{3, 5, 0.8}}));
}

TEST(SpanLevel, Q6_EqualSpansOfOtherLabelsOrPrefixesAreNoDuplicates) {
  const SpanLevel level =
      level_of({{0, 0, 0, 3, 5, 0.8}, {0, 1, 1, 3, 5, 0.8}, {1, 0, 0, 3, 5, 0.8}});
  EXPECT_EQ(level.size(), 3U);
}

TEST(SpanLevel, Q7_EmptyAndReversedRangesAreDropped) {
  EXPECT_EQ(level_of({{0, 0, 0, 3, 3, 0.8}, {0, 0, 0, 5, 0, 0.8}}).size(), 0U);
}

const std::vector<FoundSpan> kOverlapping = {
    {0, 0, 0, 0, 2, 0.9}, {0, 0, 0, 0, 4, 0.7}, {0, 0, 0, 3, 6, 0.8}, {0, 0, 0, 6, 7, 0.6}};

TEST(SpanLevel, D3_AllKeepsOverlaps) {
  SpanLevel level = level_of(kOverlapping);
  level.reduce(Overlap::kAll, 0);
  EXPECT_EQ(level.size(), 4U);
}

TEST(SpanLevel, LongestKeepsTheLongestOfOverlappingSpans) {
  SpanLevel level = level_of(kOverlapping);
  level.reduce(Overlap::kLongest, 0);
  EXPECT_EQ(left_of(level), (Left{{0, 4, 0.7}, {6, 7, 0.6}}));
}

TEST(SpanLevel, ScoreKeepsTheSurestOfOverlappingSpans) {
  SpanLevel level = level_of(kOverlapping);
  level.reduce(Overlap::kScore, 0);
  EXPECT_EQ(left_of(level), (Left{{0, 2, 0.9}, {3, 6, 0.8}, {6, 7, 0.6}}));
}

TEST(SpanLevel, TiesGoToTheOtherMeasureThenToTheText) {
  SpanLevel by_length = level_of({{0, 0, 0, 1, 3, 0.7}, {0, 0, 0, 2, 4, 0.8}});
  by_length.reduce(Overlap::kLongest, 0);
  EXPECT_EQ(left_of(by_length), (Left{{2, 4, 0.8}}));
  SpanLevel by_score = level_of({{0, 0, 0, 1, 3, 0.8}, {0, 0, 0, 2, 5, 0.8}});
  by_score.reduce(Overlap::kScore, 0);
  EXPECT_EQ(left_of(by_score), (Left{{2, 5, 0.8}}));
  SpanLevel equal = level_of({{0, 0, 0, 2, 4, 0.8}, {0, 0, 0, 1, 3, 0.8}});
  equal.reduce(Overlap::kScore, 0);
  EXPECT_EQ(left_of(equal), (Left{{1, 3, 0.8}}));
}

TEST(SpanLevel, OverlapsOfOtherLabelsOrPrefixesDoNotCompete) {
  SpanLevel level = level_of({{0, 0, 0, 0, 4, 0.9}, {0, 1, 1, 0, 4, 0.8}, {1, 0, 0, 0, 4, 0.7}});
  level.reduce(Overlap::kLongest, 0);
  EXPECT_EQ(level.size(), 3U);
}

TEST(SpanLevel, MaxSpanNumKeepsTheBestOfEachPathInTheirOrder) {
  SpanLevel level = level_of(
      {{0, 0, 0, 0, 1, 0.6}, {0, 0, 0, 1, 2, 0.9}, {1, 0, 0, 2, 3, 0.8}, {0, 1, 1, 3, 4, 0.5}});
  level.reduce(Overlap::kAll, 2);
  EXPECT_EQ(left_of(level), (Left{{1, 2, 0.9}, {2, 3, 0.8}, {3, 4, 0.5}}));
}

TEST(SpanLevel, MaxSpanNumDecidesTiesByTheText) {
  SpanLevel level = level_of({{0, 0, 0, 5, 6, 0.9}, {0, 0, 0, 1, 2, 0.9}});
  level.reduce(Overlap::kAll, 1);
  EXPECT_EQ(left_of(level), (Left{{1, 2, 0.9}}));
}

}  // namespace
}  // namespace rex::decode
