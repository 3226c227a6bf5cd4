#include "decode/class_choice.h"

#include <gtest/gtest.h>

namespace rex::decode {
namespace {

Chain chain_of(std::initializer_list<std::pair<const char*, double>> steps) {
  Chain chain;
  for (const auto& [label, confidence] : steps) {
    chain.push_back({.label = label, .span = {}, .confidence = confidence});
  }
  return chain;
}

TEST(ChooseOne, D28_TakesTheGreatestMeanFirstOnATie) {
  const Chain a = chain_of({{"a", 0.6}, {"b", 0.8}}), b = chain_of({{"c", 0.75}}),
              c = chain_of({{"d", 0.75}});
  EXPECT_EQ(choose_one({a, b, c}), (std::vector<Chain>{b}));
  EXPECT_TRUE(choose_one({}).empty());
}

TEST(ChooseMany, D28_TakesAllAboveTheThresholdElseTheBest) {
  const auto nine_tenths = [](const Chain&) { return 0.9; };
  const Chain high = chain_of({{"a", 0.95}}), at = chain_of({{"b", 0.9}}),
              low = chain_of({{"c", 0.3}});
  EXPECT_EQ(choose_many({low, high, at}, nine_tenths, false), (std::vector<Chain>{high}));
  EXPECT_EQ(choose_many({low, at}, nine_tenths, false), (std::vector<Chain>{at}));
  EXPECT_TRUE(choose_many({low, at}, nine_tenths, true).empty());  // Q20
}

TEST(ChooseMany, Q19_EveryPathMayHaveItsThreshold) {
  const auto by_label = [](const Chain& chain) { return chain.back().label == "a" ? 0.2 : 0.9; };
  const Chain a = chain_of({{"a", 0.3}}), b = chain_of({{"b", 0.8}});
  EXPECT_EQ(choose_many({a, b}, by_label, false), (std::vector<Chain>{a}));
}

TEST(PathHits, D23_ALonePathHasTheConfidencesOfItsFirstHit) {
  PathHits hits;
  hits.add({"a", "b"}, {0.9, 0.2});
  hits.add({"a", "b"}, {0.9, 0.8});
  EXPECT_EQ(hits.best(), (std::vector<Chain>{chain_of({{"a", 0.9}, {"b", 0.2}})}));
}

TEST(PathHits, D23_SeveralPathsAreAveragedByPositionAndTheGreatestSumWins) {
  PathHits hits;
  hits.add({"a"}, {0.5});
  hits.add({"b"}, {0.25});
  hits.add({"b"}, {0.875});
  EXPECT_EQ(hits.best(), (std::vector<Chain>{chain_of({{"b", 0.5625}})}));
}

TEST(PathHits, D23_TheFirstPathWinsATie) {
  PathHits hits;
  hits.add({"b"}, {0.5});
  hits.add({"a"}, {0.5});
  EXPECT_EQ(hits.best(), (std::vector<Chain>{chain_of({{"b", 0.5}})}));
}

TEST(PathHits, D24_AllGivesEveryPathWithItsFirstHit) {
  PathHits hits;
  hits.add({"b"}, {0.25});
  hits.add({"a"}, {0.5});
  hits.add({"b"}, {0.875});
  EXPECT_EQ(hits.all(), (std::vector<Chain>{chain_of({{"b", 0.25}}), chain_of({{"a", 0.5}})}));
  EXPECT_TRUE(PathHits().all().empty());
  EXPECT_TRUE(PathHits().best().empty());
}

TEST(TextOrder, FollowsTheTextThenTheLabelsBytes) {
  const auto at = [](const char* label, int32_t start, int32_t end) {
    return Step{.label = label, .span = {}, .start = start, .end = end};
  };
  const std::vector<Chain> ordered = {{at("b", 0, 1)},
                                      {at("b", 0, 1), at("a", 7, 8)},
                                      {at("b", 0, 1), at("b", 7, 8)},
                                      {at("c", 0, 1)},
                                      {at("a", 0, 2)},
                                      {at("a", 3, 4)}};
  for (size_t i = 0; i < ordered.size(); ++i) {
    for (size_t k = 0; k < ordered.size(); ++k) {
      EXPECT_EQ(text_order(ordered[i], ordered[k]), i < k) << i << " " << k;
    }
  }
}

}  // namespace
}  // namespace rex::decode
