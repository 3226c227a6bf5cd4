#include "decode/linking.h"

#include <gtest/gtest.h>

#include <tuple>

namespace rex::decode {
namespace {

using engine::Link;

struct Links {
  std::vector<Link> spans, heads, tails;
  [[nodiscard]] engine::PassLinks view() const { return {spans, heads, tails, {}}; }
};

using Place = std::tuple<int32_t, int32_t, int32_t>;  // head, tail, type

std::vector<Place> hits_of(const Links& links, std::vector<float> floors) {
  Linker linker;
  std::vector<Hit> hits;
  EXPECT_TRUE(linker.link(links.view(), floors, 1000, hits));
  std::vector<Place> places;
  for (const Hit& hit : hits) places.emplace_back(hit.head, hit.tail, hit.type);
  return places;
}

TEST(Linker, D3_AHitNeedsSpanHeadAndTail) {
  const Links links{{{5, 6, 1}, {7, 7, 1}, {8, 9, 1}},
                    {{5, 0, 1}, {7, 0, 1}, {8, 1, 1}},   // 5→0, 7→0, 8→1
                    {{0, 6, 1}, {1, 7, 1}, {1, 9, 1}}};  // 0→6, 1→7, 1→9
  EXPECT_EQ(hits_of(links, {0, 0}), (std::vector<Place>{{5, 6, 0}, {8, 9, 1}}));
}

TEST(Linker, D3_OneSpanMayHaveSeveralTypesAndNestedSpansStay) {
  const Links links{
      {{5, 5, 1}, {5, 7, 1}}, {{5, 0, 1}, {5, 2, 1}}, {{0, 5, 1}, {0, 7, 1}, {2, 5, 1}, {2, 7, 1}}};
  EXPECT_EQ(hits_of(links, {0, 0, 0}),
            (std::vector<Place>{{5, 5, 0}, {5, 5, 2}, {5, 7, 0}, {5, 7, 2}}));
}

TEST(Linker, D9_OrderIsHeadTailType) {
  const Links links{{{4, 4, 1}, {4, 6, 1}, {5, 5, 1}},
                    {{4, 0, 1}, {4, 1, 1}, {5, 0, 1}},
                    {{0, 4, 1}, {0, 5, 1}, {0, 6, 1}, {1, 4, 1}, {1, 6, 1}}};
  EXPECT_EQ(hits_of(links, {0, 0}),
            (std::vector<Place>{{4, 4, 0}, {4, 4, 1}, {4, 6, 0}, {4, 6, 1}, {5, 5, 0}}));
}

// Every one of the three must exceed the type's own floor; reaching it is not enough (Q3).
TEST(Linker, EachOfTheThreeLinksMustExceedTheFloorOfItsType) {
  const auto weak_at = [](float span, float head, float tail) {
    const Links links{{{3, 3, span}}, {{3, 0, head}, {3, 1, head}}, {{0, 3, tail}, {1, 3, tail}}};
    return hits_of(links, {0.0F, 2.0F});
  };
  const std::vector<Place> first_only = {{3, 3, 0}};
  EXPECT_EQ(weak_at(2, 3, 3), first_only);
  EXPECT_EQ(weak_at(3, 2, 3), first_only);
  EXPECT_EQ(weak_at(3, 3, 2), first_only);
  EXPECT_EQ(weak_at(3, 3, 3), (std::vector<Place>{{3, 3, 0}, {3, 3, 1}}));
}

TEST(Linker, GivesTheLogitsOfTheThreeLinks) {
  const Links links{{{3, 4, 1.5F}}, {{3, 0, 2.5F}}, {{0, 4, 3.5F}}};
  Linker linker;
  std::vector<Hit> hits;
  const std::vector<float> floors = {0};
  ASSERT_TRUE(linker.link(links.view(), floors, 10, hits));
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(hits[0].span_logit, 1.5F);
  EXPECT_EQ(hits[0].head_type_logit, 2.5F);
  EXPECT_EQ(hits[0].type_tail_logit, 3.5F);
}

TEST(Linker, ForgetsThePassBefore) {
  Linker linker;
  std::vector<Hit> hits;
  const std::vector<float> floors = {0};
  ASSERT_TRUE(linker.link(Links{{{3, 3, 1}}, {{3, 0, 1}}, {{0, 3, 1}}}.view(), floors, 10, hits));
  hits.clear();
  ASSERT_TRUE(linker.link(Links{{{3, 3, 1}}, {}, {}}.view(), floors, 10, hits));
  EXPECT_TRUE(hits.empty());
}

TEST(Linker, Q31a_TooManyHitsAreAnErrorNotAFlood) {
  Links links;
  for (int32_t t = 0; t < 20; ++t) {
    links.heads.push_back({t, 0, 1});
    links.tails.push_back({0, t, 1});
    for (int32_t c = t; c < 20; ++c) links.spans.push_back({t, c, 1});
  }
  Linker linker;
  std::vector<Hit> hits;
  const std::vector<float> floors = {0};
  ASSERT_TRUE(linker.link(links.view(), floors, 210, hits));
  EXPECT_EQ(hits.size(), 210U);
  hits.clear();
  const auto refused = linker.link(links.view(), floors, 209, hits);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kWorkTooLarge);
}

}  // namespace
}  // namespace rex::decode
