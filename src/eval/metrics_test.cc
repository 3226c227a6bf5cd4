#include "eval/metrics.h"

#include <gtest/gtest.h>

namespace rex::eval {
namespace {

Item item(std::string type, std::string span, int32_t start, int32_t end) {
  return {std::move(type), std::move(span), start, end};
}

ItemList relation(std::string type, int32_t start) {
  return {item("组织机构", "甲公司", 0, 3), item(std::move(type), "张三", start, start + 2)};
}

Counts counted(Metric metric, const std::vector<ItemList>& predicted,
               const std::vector<ItemList>& gold) {
  return count(metric, predicted, gold).value();
}

void expect_counts(const Counts& counts, int64_t predicted, int64_t gold, int64_t correct) {
  EXPECT_EQ(counts.predicted, predicted);
  EXPECT_EQ(counts.gold, gold);
  EXPECT_EQ(counts.correct, correct);
}

TEST(Metrics, StrictComparesTypeSpanAndOffset) {  // F30
  expect_counts(counted(Metric::kStrict, {relation("董事长", 5), relation("董事长", 9)},
                        {relation("董事长", 5)}),
                2, 1, 1);
}

TEST(Metrics, SpanIgnoresOffsetsAndDuplicates) {  // F29, F30, F32
  expect_counts(counted(Metric::kSpan, {relation("董事长", 5), relation("董事长", 9)},
                        {relation("董事长", 7)}),
                1, 1, 1);
}

TEST(Metrics, DuplicatesCountOnce) {  // F29
  expect_counts(counted(Metric::kStrict, {relation("a", 5), relation("a", 5)}, {relation("a", 5)}),
                1, 1, 1);
}

ItemList mapped_triplet(std::string type) {
  return map_list(Metric::kTriplet, relation(std::move(type), 5)).value().value_or(ItemList{});
}

TEST(Metrics, TripletCutsTheSecondTypeAtTheBracket) {  // F30
  expect_counts(
      counted(Metric::kTriplet, {relation("董事长(人物)", 5)}, {relation("董事长 (机构)", 8)}), 1,
      1, 1);
  EXPECT_EQ(mapped_triplet("董事长 (人物)"),
            (ItemList{item("组织机构", "甲公司", -1, -1), item("董事长", "张三", -1, -1)}));
}

TEST(Metrics, TripletKeepsFullWidthBrackets) {  // F30: cut at "(" only
  EXPECT_EQ(mapped_triplet("董事长（人物）").at(1).type, "董事长（人物）");
}

TEST(Metrics, TripletDropsListsOfOtherLengths) {  // F30
  const ItemList one = {item("a", "x", 0, 1)};
  const ItemList three = {one[0], one[0], one[0]};
  expect_counts(counted(Metric::kTriplet, {one, three}, {one}), 0, 0, 0);
}

TEST(Metrics, TriggerIsTheFirstItemWithItsOffset) {  // F30
  expect_counts(
      counted(Metric::kTrigger, {relation("时间", 5), relation("地点", 9)}, {relation("时间", 7)}),
      1, 1, 1);
  expect_counts(
      counted(Metric::kTrigger, {{item("胜负", "负", 3, 4)}}, {{item("胜负", "负", 8, 9)}}), 1, 1,
      0);
}

TEST(Metrics, ArgumentIgnoresWhichTriggerWordWasFound) {  // F30
  const ItemList predicted = {item("胜负", "负", 3, 4), item("时间", "昨天", 0, 2)};
  const ItemList gold = {item("胜负", "战胜", 8, 10), item("时间", "昨天", 0, 2)};
  expect_counts(counted(Metric::kArgument, {predicted}, {gold}), 1, 1, 1);
  expect_counts(counted(Metric::kArgument, {{predicted[0]}}, {gold}), 0, 1, 0);
}

TEST(Metrics, ArgumentFailsOnLongLists) {  // F30
  const ItemList three(3, item("a", "x", 0, 1));
  EXPECT_EQ(count(Metric::kArgument, std::span(&three, 1), {}).error().code,
            ErrorCode::kSchemaTaskMismatch);
}

TEST(Metrics, ScoresFollowTheFormulas) {  // F29
  const Scores scores = scores_of({190, 533, 60});
  EXPECT_NEAR(scores.precision, 60.0 / 190.0, 1e-9);
  EXPECT_NEAR(scores.recall, 60.0 / 533.0, 1e-9);
  EXPECT_NEAR(scores.f1, 0.16598, 5e-6);  // recorded figure of the original
  EXPECT_EQ(scores_of({}).f1, 0.0);
}

TEST(Metrics, NamesAreParsedAndOthersFail) {  // F30, F31
  const auto metrics = parse_metrics("strict, trigger,argument").value();
  EXPECT_EQ(metrics, (std::vector<Metric>{Metric::kStrict, Metric::kTrigger, Metric::kArgument}));
  EXPECT_EQ(parse_metrics("fuzzy").error().code, ErrorCode::kOptionRange);
  EXPECT_FALSE(parse_metrics(""));
}

}  // namespace
}  // namespace rex::eval
