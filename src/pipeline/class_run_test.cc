// Classification, standard behaviour, through the whole pipeline with a stand-in engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/probability.h"
#include "pipeline/stand_in.h"

namespace rex::pipeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kMarker = "[CLASSIFY]";
constexpr const char* kMulti = "[MULTICLASSIFY]";
constexpr const char* kTree = R"({"电器":{"雨刮":null,"防盗":null},"系统":{"蓝牙":null}})";
constexpr const char* kTreeChars = "电器雨刮防盗系统蓝牙";

double confidence_of(float logit) {
  return decode::round4(decode::mean_of_cells(logit, logit, logit));
}

Query single(std::string text, const char* schema) {
  return query_of(std::move(text), schema, TextKind::kSingleLabel);
}
Query multi(std::string text, const char* schema) {
  return query_of(std::move(text), schema, TextKind::kMultiLabel);
}

TEST(Classification, P4_Q13_TheMarkerIsPutInFrontAndTheTextStaysText) {
  StandIn stand_in({{"", "教育", kMarker}}, "体学校classify");
  const auto answer = stand_in.ask(single("学校[CLASSIFY]", R"(["体育","教育"])"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(stand_in.log->passes[0].text, "[CLASSIFY]学校[classify][SEP]");
  EXPECT_EQ(shown(answer->chains), "教育");
  EXPECT_EQ(answer->chains[0][0].span, "");
  EXPECT_EQ(answer->chains[0][0].start, -1);
  EXPECT_EQ(answer->chains[0][0].end, -1);
  EXPECT_FALSE(answer->fallback);
}

TEST(Classification, D23_D28_AmongLinkedLabelsTheSurestWins) {
  StandIn stand_in({{"", "甲", kMarker, 1.0F}, {"", "乙", kMarker, 3.0F}}, "丙");
  const auto answer = stand_in.ask(single("丙", R"(["甲","乙","丙"])"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "乙");
  EXPECT_EQ(answer->chains[0][0].confidence, confidence_of(3.0F));
}

// A label with a greater mean that is not linked loses to a linked one.
TEST(Classification, D14_OnlyLinkedLabelsCompete) {
  StandIn stand_in({{"", "甲", kMarker, 0.1F}, {"", "乙", kMarker, 9.0F, -0.1F}}, "丙");
  EXPECT_EQ(shown(stand_in.ask(single("丙", R"(["甲","乙"])"))->chains), "甲");
}

TEST(Classification, D26_Q45_WhenNothingIsLinkedTheBestCellsDecideWithoutASecondRun) {
  StandIn stand_in({{"", "甲", kMarker, -2.0F}, {"", "乙", kMarker, -1.0F}}, "丙");
  const auto answer = stand_in.ask(single("丙", R"(["甲","乙","丙"])"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "乙");
  EXPECT_TRUE(answer->fallback);
  EXPECT_EQ(stand_in.log->passes.size(), 1U);
}

TEST(Classification, ScoresTellOfEveryLabelInSchemaOrder) {
  StandIn stand_in({{"", "甲", kMarker, 2.0F}}, "乙丙");
  Query query = single("丙", R"(["乙","甲"])");
  auto answer = stand_in.ask(query);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->scores.size(), 2U);
  EXPECT_THAT(answer->scores[0].path, ElementsAre("乙"));
  EXPECT_FALSE(answer->scores[0].linked);
  // Its own two links are absent; the marker's cell is shared.
  EXPECT_EQ(answer->scores[0].confidence, decode::round4(decode::mean_of_cells(2, -5, -5)));
  EXPECT_THAT(answer->scores[1].path, ElementsAre("甲"));
  EXPECT_TRUE(answer->scores[1].linked);
  EXPECT_EQ(answer->scores[1].confidence, confidence_of(2.0F));
  query.options.all_scores = false;
  EXPECT_THAT(stand_in.ask(query)->scores, IsEmpty());
}

// 16 tokens less [CLS][PREFIX][TYPE]甲[TYPE]乙[SEP], marker and [SEP]: windows of 7, and facts on
// the marker speak for all of them alike, so a text fact makes the difference.
TEST(Classification, Q14_EveryWindowOfALongTextIsAskedWithItsMarker) {
  StandIn stand_in({{"", "甲", "[CLASSIFY]一"}}, "乙二三");
  Query query = single("一一一一一一一二二二二二二二三", R"(["甲","乙"])");
  query.options.max_length = 16;
  const auto answer = stand_in.ask(query);
  ASSERT_TRUE(answer);
  ASSERT_EQ(stand_in.log->passes.size(), 3U);
  EXPECT_EQ(stand_in.log->passes[0].text, "[CLASSIFY]一一一一一一一[SEP]");
  EXPECT_EQ(stand_in.log->passes[1].text, "[CLASSIFY]二二二二二二二[SEP]");
  EXPECT_EQ(stand_in.log->passes[2].text, "[CLASSIFY]三[SEP]");
  // 甲's head link stands in the first window only: one of three windows, one of nine cells.
  const double linked_window = decode::mean_of_cells(-5, -5, 4),
               other = decode::mean_of_cells(-5, -5, -5);
  EXPECT_EQ(answer->scores[0].confidence, decode::round4((linked_window + other + other) / 3));
  EXPECT_EQ(answer->usage.windows, 3);
}

TEST(Classification, D18_Q18_ALinkedLabelOpensItsLevelOnce) {
  StandIn stand_in({{"", "电器", kMarker}, {"电器:[CLASSIFY]", "雨刮", kMarker, 2.0F}},
                   std::string(kTreeChars) + "一");
  Query query = single("一一一一一一一一一一一一一一一一一一一一", kTree);
  query.options.max_length = 32;  // two windows; both link 电器
  const auto answer = stand_in.ask(query);
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "电器 → 雨刮");
  EXPECT_EQ(stand_in.log->hints().back(), "[CLS][PREFIX]电器:[CLASSIFY][TYPE]防盗[TYPE]雨刮[SEP]");
  EXPECT_EQ(shown(answer->inner), "电器");
  EXPECT_EQ(answer->chains[0][0].confidence, confidence_of(4.0F));
  EXPECT_EQ(answer->chains[0][1].confidence, confidence_of(2.0F));
}

TEST(Classification, D18_OrdinarySpansOpenNoPrompt) {
  StandIn stand_in(
      {{"", "电器", kMarker}, {"", "电器", "雨"}, {"电器:[CLASSIFY]", "雨刮", kMarker}},
      kTreeChars);
  ASSERT_TRUE(stand_in.ask(single("雨", kTree)));
  EXPECT_EQ(stand_in.log->hints().back(), "[CLS][PREFIX]电器:[CLASSIFY][TYPE]防盗[TYPE]雨刮[SEP]");
}

// 系统 is linked, nothing below it: the whole tree is opened, 电器 included.
TEST(Classification, D26_TheFallbackExpandsTheWholeTree) {
  StandIn stand_in({{"", "系统", kMarker, 1.0F},
                    {"", "电器", kMarker, -1.0F},
                    {"电器:[CLASSIFY]", "防盗", kMarker, 8.0F, -1.0F}},
                   kTreeChars);
  const auto answer = stand_in.ask(single("雨", kTree));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->fallback);
  EXPECT_EQ(shown(answer->chains), "电器 → 防盗");
  EXPECT_THAT(stand_in.log->hints(), ElementsAre("[CLS][PREFIX][TYPE]电器[TYPE]系统[SEP]",
                                                 "[CLS][PREFIX]系统:[CLASSIFY][TYPE]蓝牙[SEP]",
                                                 "[CLS][PREFIX]电器:[CLASSIFY][TYPE]防盗[TYPE]雨刮"
                                                 "[PREFIX]系统:[CLASSIFY][TYPE]蓝牙[SEP]"));
  EXPECT_EQ(answer->scores.size(), 5U);
}

TEST(Classification, Q5_PartialPathsStopWhereNothingBelowIsLinked) {
  StandIn stand_in({{"", "系统", kMarker, 1.0F}}, kTreeChars);
  Query query = single("雨", kTree);
  query.options.partial_paths = true;
  const auto answer = stand_in.ask(query);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->fallback);
  EXPECT_EQ(shown(answer->chains), "系统");
}

TEST(Classification, Q5_PartialPathsPreferTheLeafThatIsLinked) {
  StandIn stand_in({{"", "系统", kMarker, 5.0F}, {"系统:[CLASSIFY]", "蓝牙", kMarker, 1.0F}},
                   kTreeChars);
  Query query = single("雨", kTree);
  query.options.partial_paths = true;
  EXPECT_EQ(shown(stand_in.ask(query)->chains), "系统 → 蓝牙");
}

TEST(Classification, D28_LeavesOfSeveralDepthsCompeteByMean) {
  StandIn stand_in({{"", "甲", kMarker, 2.0F},
                    {"", "乙", kMarker, 3.0F},
                    {"乙:[CLASSIFY]", "丙", kMarker, 2.5F}},
                   "");
  EXPECT_EQ(shown(stand_in.ask(single("丙", R"({"甲":null,"乙":{"丙":null}})"))->chains),
            "乙 → 丙");
}

TEST(Classification, D28_MultiLabelKeepsPathsAboveNineTenths) {
  StandIn stand_in({{"", "甲", kMulti, 3.0F}, {"", "乙", kMulti, 4.0F}, {"", "丙", kMulti, 1.0F}},
                   "");
  const auto answer = stand_in.ask(multi("丙", R"(["甲","乙","丙"])"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "乙 | 甲");  // in the order of their bytes
  EXPECT_EQ(stand_in.log->passes[0].text, "[MULTICLASSIFY]丙[SEP]");
}

TEST(Classification, Q19_Q20_MultiLabelOptions) {
  StandIn stand_in({{"", "甲", kMulti, 1.0F}, {"", "乙", kMulti, 0.5F}}, "丙");
  Query query = multi("丙", R"(["甲","乙"])");
  const auto weak = stand_in.ask(query);
  EXPECT_EQ(shown(weak->chains), "甲");  // the best one, though below 0.9
  EXPECT_TRUE(weak->below_threshold);
  query.options.multi_label_threshold = 0.6;
  EXPECT_EQ(shown(stand_in.ask(query)->chains), "乙 | 甲");
  query.options.thresholds = {{"乙", 0.95}};
  const auto strong = stand_in.ask(query);
  EXPECT_EQ(shown(strong->chains), "甲");
  EXPECT_FALSE(strong->below_threshold);
  query.options.multi_label_threshold = 0.99;
  query.options.allow_empty = true;
  const auto answer = stand_in.ask(query);
  EXPECT_THAT(answer->chains, IsEmpty());
  EXPECT_FALSE(answer->fallback);
}

TEST(Classification, D27_MultiLabelFallbackGivesTheBestPath) {
  StandIn stand_in({{"", "乙", kMulti, -1.0F}}, "甲丙");
  Query query = multi("丙", R"(["甲","乙"])");
  const auto answer = stand_in.ask(query);
  EXPECT_EQ(shown(answer->chains), "乙");
  EXPECT_TRUE(answer->fallback);
  query.options.allow_empty = true;
  EXPECT_THAT(stand_in.ask(query)->chains, IsEmpty());
}

TEST(Classification, Q24_AnEmptyTextIsClassifiedFromTheLabelsAlone) {
  StandIn stand_in({{"", "甲", kMarker}}, "乙");
  const auto answer = stand_in.ask(single("", R"(["甲","乙"])"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "甲");
  EXPECT_EQ(stand_in.log->passes[0].text, "[CLASSIFY][SEP]");
}

TEST(Classification, TheThresholdAppliesToLinks) {
  StandIn stand_in({{"", "甲", kMarker, 1.0F}, {"", "乙", kMarker, 0.5F}}, "丙");
  Query query = single("丙", R"(["甲","乙"])");
  query.options.threshold = 0.8;
  const auto answer = stand_in.ask(query);
  EXPECT_TRUE(answer->fallback);
  EXPECT_EQ(shown(answer->chains), "甲");
  EXPECT_FALSE(answer->scores[0].linked);
}

}  // namespace
}  // namespace rex::pipeline
