#include "eval/report.h"

#include <gtest/gtest.h>

#include "eval/sample.h"

namespace rex::eval {
namespace {

using Lists = std::vector<ItemList>;

ItemList entity(std::string type, std::string span, int32_t start, int32_t end) {
  return {{std::move(type), std::move(span), start, end}};
}

ItemList founder(std::string name, int32_t start) {
  return {{"组织机构", "甲公司", 0, 3}, {"创始人", std::move(name), start, start + 2}};
}

// A class text's list (F3).
ItemList label(const std::vector<std::string>& path) {
  ItemList list;
  for (const std::string& type : path) list.push_back({type, "[CLASSIFY]", 0, 10});
  return list;
}

Lists labels(const std::vector<std::string>& names) {
  Lists lists;
  for (const std::string& name : names) lists.push_back(label({name}));
  return lists;
}

void add(Report& report, const Lists& predicted, const Lists& gold,
         Metric metric = Metric::kStrict) {
  report.add_labels(compare(metric, predicted, gold).value());
}

// "label gold/predicted/correct" for each row.
std::vector<std::string> rows_of(const Report& report) {
  std::vector<std::string> rows;
  for (const LabelRow& row : report.labels()) {
    rows.push_back(row.label + " " + std::to_string(row.counts.gold) + "/" +
                   std::to_string(row.counts.predicted) + "/" + std::to_string(row.counts.correct));
  }
  return rows;
}

// "gold>predicted count" for each cell.
std::vector<std::string> cells_of(const Report& report) {
  std::vector<std::string> cells;
  for (const ConfusionCell& cell : report.confusion())
    cells.push_back(cell.gold + ">" + cell.predicted + " " + std::to_string(cell.count));
  return cells;
}

using Strings = std::vector<std::string>;

TEST(Difference, HasBothSidesAsSets) {  // F29
  const Lists gold = {founder("张三", 5), founder("李四", 9), founder("李四", 9)};
  const Lists predicted = {founder("王五", 12), founder("张三", 5), founder("张三", 5)};
  const Difference difference = compare(Metric::kStrict, predicted, gold).value();
  EXPECT_EQ(difference.correct, (std::vector<Finding>{{"组织机构 > 创始人", founder("张三", 5)}}));
  EXPECT_EQ(difference.missing, (std::vector<Finding>{{"组织机构 > 创始人", founder("李四", 9)}}));
  EXPECT_EQ(difference.wrong, (std::vector<Finding>{{"组织机构 > 创始人", founder("王五", 12)}}));
  EXPECT_TRUE(difference.has_mistake());
  EXPECT_FALSE(compare(Metric::kStrict, {}, {}).value().has_mistake());
}

TEST(Difference, KeepsTheOffsetsThatTheMetricRemoves) {  // F30
  const Difference difference =
      compare(Metric::kSpan, {}, Lists{founder("张三", 9), founder("张三", 5)}).value();
  ASSERT_EQ(difference.missing.size(), 1U);
  EXPECT_EQ(difference.missing[0].list, founder("张三", 9));
}

TEST(Difference, SizesAgreeWithTheTotals) {
  const Lists gold = {founder("张三", 5), founder("张三", 7), entity("人物", "李四", 9, 11), {}};
  const Lists predicted = {founder("张三", 7), entity("人物", "李四", 8, 10), founder("李四", 9)};
  for (const Metric metric :
       {Metric::kStrict, Metric::kSpan, Metric::kTriplet, Metric::kTrigger, Metric::kArgument}) {
    const Counts counts = count(metric, predicted, gold).value();
    const Difference difference = compare(metric, predicted, gold).value();
    EXPECT_EQ(difference.correct.size(), static_cast<size_t>(counts.correct)) << name_of(metric);
    EXPECT_EQ(difference.correct.size() + difference.missing.size(),
              static_cast<size_t>(counts.gold));
    EXPECT_EQ(difference.correct.size() + difference.wrong.size(),
              static_cast<size_t>(counts.predicted));
  }
}

TEST(Difference, ArgumentStillRefusesLongLists) {  // F30
  const ItemList three(3, Item{"a", "b", 0, 1});
  EXPECT_EQ(compare(Metric::kArgument, Lists{three}, {}).error().code,
            ErrorCode::kSchemaTaskMismatch);
}

TEST(Labels, AreCountedByTypePathAndSortedByGold) {
  Report report;
  add(report, {entity("人物", "张三", 0, 2), founder("张三", 5)},
      {entity("人物", "张三", 0, 2), entity("地点", "北京", 3, 5), entity("地点", "北京", 3, 5)});
  add(report, {entity("人物", "李四", 1, 3)},
      {entity("人物", "李四", 0, 2), entity("人物", "王五", 4, 6)});
  EXPECT_EQ(rows_of(report), (Strings{"人物 3/2/1", "地点 1/0/0", "组织机构 > 创始人 0/1/0"}));
}

TEST(Labels, OfTheMappedList) {  // F30
  Report report;
  add(report, {{{"公司", "甲", 0, 1}, {"董事长(人物)", "张三", 2, 4}}},
      {{{"公司", "甲", 0, 1}, {"董事长 (机构)", "张三", 5, 7}}}, Metric::kTriplet);
  EXPECT_EQ(rows_of(report), Strings{"公司 > 董事长 1/1/1"});
  Report first;
  add(first, {founder("张三", 5)}, {founder("李四", 9)}, Metric::kTrigger);
  EXPECT_EQ(rows_of(first), Strings{"组织机构 1/1/1"});
}

TEST(Labels, EmptyGoldAndNothingPredicted) {
  Report report;
  add(report, {}, {});
  EXPECT_TRUE(report.labels().empty());
  add(report, {entity("人物", "张三", 0, 2)}, {});
  EXPECT_EQ(rows_of(report), Strings{"人物 0/1/0"});
}

TEST(Labels, BeyondTheLimitAreCountedTogether) {
  Report report({.labels = 2});
  for (const char* type : {"a", "b", "c", "d", "a"})
    add(report, {entity(type, "x", 0, 1)}, {entity(type, "x", 0, 1)});
  EXPECT_EQ(rows_of(report), (Strings{"(other) 2/2/2", "a 2/2/2", "b 1/1/1"}));
  Report bytes({.label_bytes = 6});
  for (const char* type : {"人物", "a"}) add(bytes, {}, {entity(type, "x", 0, 1)});
  EXPECT_EQ(rows_of(bytes), (Strings{"(other) 1/0/0", "人物 1/0/0"}));
}

TEST(Confusion, SingleLabel) {
  Report report;
  report.add_classes(labels({"财经"}), labels({"财经"}));
  report.add_classes(labels({"财经"}), labels({"财经"}));
  report.add_classes(labels({"体育"}), labels({"财经"}));
  report.add_classes(labels({"体育"}), {});
  report.add_classes({}, labels({"教育"}));
  report.add_classes({}, {});
  EXPECT_EQ(cells_of(report), (Strings{"财经>财经 2", "(none)>(none) 1", "(none)>体育 1",
                                       "教育>(none) 1", "财经>体育 1"}));
}

TEST(Confusion, MultiLabelPairsOnlyWhatIsClear) {
  Report report;
  report.add_classes(labels({"a", "x"}), labels({"a", "b"}));  // b was taken for x
  EXPECT_EQ(cells_of(report), (Strings{"a>a 1", "b>x 1"}));
  report.add_classes(labels({"x"}), labels({"b", "c"}));  // b or c?
  EXPECT_EQ(cells_of(report),
            (Strings{"(none)>x 1", "a>a 1", "b>(none) 1", "b>x 1", "c>(none) 1"}));
}

TEST(Confusion, DuplicatesCountOnceAndPathsAreWhole) {  // F29
  Report report;
  report.add_classes(Lists{label({"汽车", "价格"}), label({"汽车", "价格"})},
                     Lists{label({"汽车", "油耗"}), label({"汽车", "油耗"})});
  EXPECT_EQ(cells_of(report), Strings{"汽车 > 油耗>汽车 > 价格 1"});
}

TEST(Confusion, FurtherCellsAreCountedTogether) {
  Report report({.cells = 1});
  for (const char* name : {"a", "b", "c", "a"}) report.add_classes(labels({name}), labels({name}));
  EXPECT_EQ(cells_of(report), (Strings{"(other)>(other) 2", "a>a 2"}));
}

TEST(ConfusionTable, KeepsTheMostFrequentAndSumsTheRest) {
  const std::vector<ConfusionCell> cells = {{"b", "b", 5},      {"a", "a", 3},      {"a", "b", 1},
                                            {"c", "d", 2},      {"d", "a", 1},      {"b", "c", 1},
                                            {"(none)", "b", 4}, {"c", "(none)", 1}, {"d", "d", 1}};
  const ConfusionTable table = table_of(cells, 2);
  EXPECT_EQ(table.labels, (Strings{"b", "a"}));
  EXPECT_TRUE(table.has_other);
  EXPECT_EQ(table.counts, (std::vector<std::vector<int64_t>>{
                              {5, 0, 1, 0},  // b
                              {1, 3, 0, 0},  // a
                              {0, 1, 3, 1},  // other: c and d
                              {4, 0, 0, 0},  // (none)
                          }));
  EXPECT_FALSE(table_of(cells, 4).has_other);
}

TEST(Sample, TextHasTheMarkerThatOffsetsCount) {  // F3
  const Json line = {
      {"text", "[CLASSIFY]股市"}, {"schema", {{"财经", nullptr}}}, {"info_list", Json::array()}};
  for (const auto behaviour : {pipeline::Behaviour::kStandard, pipeline::Behaviour::kReference}) {
    pipeline::QueryOptions options;
    options.behaviour = behaviour;
    EXPECT_EQ(text_of(read_sample(line, options).value()), "[CLASSIFY]股市");
  }
}

}  // namespace
}  // namespace rex::eval
