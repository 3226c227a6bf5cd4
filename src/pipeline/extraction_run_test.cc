// Extraction, standard behaviour, through the whole pipeline with a stand-in engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/probability.h"
#include "pipeline/stand_in.h"

namespace rex::pipeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kRelations = R"({"组织机构":{"校长":null,"地址":null}})";

std::vector<Fact> relation_facts() {
  return {{"", "组织机构", "北大"},
          {"", "组织机构", "清华"},
          {"组织机构:北大", "校长", "张三"},
          {"组织机构:清华", "校长", "李四"}};
}

TEST(Extraction, D2_D5_FindsSpansWithOffsetsInTheOrderOfTheText) {
  StandIn stand_in({{"", "人物", "张三"}, {"", "人物", "李四"}, {"", "地点", "北京"}}, "和在");
  const auto answer = stand_in.ask(query_of("李四和张三在北京", R"(["人物","地点"])"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "人物 李四 0-2 | 人物 张三 3-5 | 地点 北京 6-8");
  EXPECT_THAT(stand_in.log->hints(), ElementsAre("[CLS][PREFIX][TYPE]人物[TYPE]地点[SEP]"));
}

TEST(Extraction, D15_ConfidenceIsTheMeanOfTheThreeCells) {
  StandIn stand_in({{"", "人物", "张三", 2.0F, 0.5F}}, "");
  const auto answer = stand_in.ask(query_of("张三", R"(["人物"])"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->chains[0][0].confidence,
            decode::round4(decode::mean_of_cells(2.0F, 0.5F, 2.0F)));
}

TEST(Extraction, P7_P14_EachSpanOpensAGroupOnTheNextLevelInTheOrderFound) {
  StandIn stand_in(relation_facts(), "址地，");
  const auto answer = stand_in.ask(query_of("清华李四，北大张三", kRelations));
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains),
            "组织机构 清华 0-2 → 校长 李四 2-4 | 组织机构 北大 5-7 → 校长 张三 7-9");
  EXPECT_THAT(stand_in.log->hints(), ElementsAre("[CLS][PREFIX][TYPE]组织机构[SEP]",
                                                 "[CLS][PREFIX]组织机构:清华[TYPE]地址[TYPE]校长"
                                                 "[PREFIX]组织机构:北大[TYPE]地址[TYPE]校长[SEP]"));
}

TEST(Extraction, P2_Q5_InnerNodesAreNoAnswerButAreTold) {
  StandIn stand_in({{"", "组织机构", "北大"}}, "址地校长");
  const auto answer = stand_in.ask(query_of("北大", kRelations));
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->chains, IsEmpty());
  EXPECT_EQ(shown(answer->inner), "组织机构 北大 0-2");
}

TEST(Extraction, Q5_PartialPathsReportsInnerNodesToo) {
  StandIn stand_in(relation_facts(), "址地，");
  Query query = query_of("北大张三，清华", kRelations);
  query.options.partial_paths = true;
  const auto answer = stand_in.ask(query);
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains),
            "组织机构 北大 0-2 | 组织机构 北大 0-2 → 校长 张三 2-4 | 组织机构 清华 5-7");
}

TEST(Extraction, P2_AListOfLegalPathsReplacesTheLeaves) {
  StandIn stand_in(relation_facts(), "址地");
  Query query = query_of("北大张三", kRelations);
  schema::Schema schema = *query.schema;
  schema.legal_paths = {{"组织机构"}};
  query.schema = std::make_shared<const schema::Schema>(std::move(schema));
  const auto answer = stand_in.ask(query);
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "组织机构 北大 0-2");
}

TEST(Extraction, Q6_D10_ASpanInTheOverlapOfTwoWindowsIsOneAnswer) {
  StandIn stand_in({{"", "人物", "张三"}}, "一");
  // Passes of 16 tokens leave 16 - 6 = 10 to the text: windows [0, 10) [5, 15) [10, 18).
  Query query = query_of("一一一一一一张三一一一一一一一张三一", R"(["人物"])");
  query.options.max_length = 16;
  const auto answer = stand_in.ask(query);
  ASSERT_TRUE(answer);
  EXPECT_EQ(stand_in.log->passes.size(), 3U);
  EXPECT_EQ(shown(answer->chains), "人物 张三 6-8 | 人物 张三 15-17");
  EXPECT_EQ(answer->usage.windows, 3);
}

TEST(Extraction, D11_ChildrenAreSoughtInEveryWindow) {
  StandIn stand_in({{"", "甲", "北"}, {"甲:北", "乙", "张"}}, "一");
  Query query = query_of("北一一一一一一一一一一一一一张", R"({"甲":{"乙":null}})");
  query.options.max_length = 16;
  const auto answer = stand_in.ask(query);
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "甲 北 0-1 → 乙 张 14-15");
}

TEST(Extraction, D6_Q7_LinksToTheFinalSepAreDropped) {
  StandIn stand_in({{"", "人物", "[SEP]"}, {"", "人物", "三[SEP]"}}, "张");
  const auto answer = stand_in.ask(query_of("张三", R"(["人物"])"));
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->chains, IsEmpty());
}

TEST(Extraction, Q23_ABlankTextIsAnsweredWithoutAnyPass) {
  StandIn stand_in({}, "人物");
  for (const char* text : {"", " \t\n\u3000", "\u200B"}) {
    const auto answer = stand_in.ask(query_of(text, R"(["人物"])"));
    ASSERT_TRUE(answer);
    EXPECT_THAT(answer->chains, IsEmpty());
    EXPECT_EQ(answer->usage.passes, 0);
  }
  EXPECT_THAT(stand_in.log->passes, IsEmpty());
}

TEST(Extraction, Q10_Q13_MarkersInTheTextAreText) {
  StandIn stand_in({{"", "人物", "张三"}}, "[SEP][CLASSIFY]");
  const auto answer = stand_in.ask(query_of("[CLASSIFY][SEP]张三", R"(["人物"])"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "人物 张三 15-17");
}

TEST(Extraction, AllThreeLinksMustExceedTheThresholdOfTheirLabelOrPath) {
  // Probabilities: 0.982 for logit 4, 0.731 for 1, 0.269 for -1.
  StandIn stand_in({{"", "甲", "张"}, {"", "乙", "李", 4.0F, 1.0F}, {"", "丙", "王", -1.0F}}, "");
  Query query = query_of("张李王", R"(["甲","乙","丙"])");
  const auto found = [&] { return shown(stand_in.ask(query)->chains); };
  EXPECT_EQ(found(), "甲 张 0-1 | 乙 李 1-2");
  query.options.threshold = 0.8;
  EXPECT_EQ(found(), "甲 张 0-1");
  query.options.thresholds = {{"乙", 0.7}, {"丙", 0.2}};
  EXPECT_EQ(found(), "甲 张 0-1 | 乙 李 1-2 | 丙 王 2-3");
  query.options.threshold = 1.0;
  query.options.thresholds.clear();
  EXPECT_EQ(found(), "");
}

TEST(Extraction, OptionsWithoutEffectAreTold) {
  StandIn stand_in({}, "人物");
  Query query = query_of("人", R"(["人物"])");
  query.options.thresholds = {{"人物", 0.5}, {"地点", 0.5}};
  const auto answer = stand_in.ask(query);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->warnings.size(), 1U);
  EXPECT_EQ(answer->warnings[0].code, "OPTION_NO_EFFECT");
  EXPECT_EQ(answer->warnings[0].place, "thresholds/地点");
}

TEST(Extraction, OverlapAndMaxSpanNumLimitAnswersAndWhatIsAskedBelow) {
  StandIn stand_in({{"", "甲", "北大"}, {"", "甲", "北", 2.0F}, {"", "甲", "清", 3.0F}}, "乙");
  Query query = query_of("北大清", R"({"甲":{"乙":null}})");
  query.options.overlap = Overlap::kLongest;
  EXPECT_EQ(shown(stand_in.ask(query)->inner), "甲 北大 0-2 | 甲 清 2-3");
  query.options.max_span_num = 1;
  EXPECT_EQ(shown(stand_in.ask(query)->inner), "甲 北大 0-2");
  EXPECT_EQ(stand_in.log->hints().back(), "[CLS][PREFIX]甲:北大[TYPE]乙[SEP]");
}

TEST(Extraction, Q31a_PrefixesAreCappedInOrderWithAWarning) {
  StandIn stand_in(relation_facts(), "址地，");
  Query query = query_of("清华李四，北大张三", kRelations);
  query.options.max_prefixes = 1;
  const auto answer = stand_in.ask(query);
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "组织机构 清华 0-2 → 校长 李四 2-4");
  ASSERT_EQ(answer->warnings.size(), 1U);
  EXPECT_EQ(answer->warnings[0].code, "PREFIXES_CAPPED");
}

TEST(Extraction, Q31_TooManyPassesAreAnErrorThatNamesTheNumbers) {
  StandIn stand_in({{"", "甲", "北"}}, "一乙");
  Query query = query_of("北一一一一一一一一一一一一一一", R"({"甲":{"乙":null}})");
  query.options.max_length = 16;
  query.options.max_passes = 3;  // two windows a level
  const auto answer = stand_in.ask(query);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kWorkTooLarge);
  EXPECT_NE(answer.error().message.find("level 2"), std::string::npos);
  EXPECT_NE(answer.error().message.find("at most 3 passes"), std::string::npos);
}

TEST(Extraction, P10_Q8_AnOverlongPrefixIsSkippedWithAWarning) {
  std::string span;
  for (int i = 0; i < 130; ++i) span += "长";
  StandIn stand_in({{"", "组织机构", span}}, "校长址地");
  const auto answer = stand_in.ask(query_of(span, kRelations));
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->warnings.size(), 1U);
  EXPECT_EQ(answer->warnings[0].code, "PREFIX_TOO_LONG");
  EXPECT_EQ(answer->warnings[0].place, "/组织机构");
  EXPECT_EQ(answer->usage.levels, 1);
}

TEST(Extraction, Q8_AnOverlongLabelIsAnErrorBeforeAnythingRuns) {
  std::string label;
  for (int i = 0; i < 125; ++i) label += "长";
  StandIn stand_in({}, label);
  const auto answer = stand_in.ask(query_of("长", "[\"" + label + "\"]"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kLabelTooLong);
  EXPECT_EQ(answer.error().place, "/" + label);
  EXPECT_THAT(stand_in.log->passes, IsEmpty());
}

TEST(Extraction, P6_TheOrderOfKeysDoesNotMatter) {
  StandIn stand_in({{"", "甲", "北大"}, {"", "乙", "北大"}, {"", "丙", "北"}}, "");
  const auto with = [&](const char* schema) {
    return stand_in.ask(query_of("北大", schema))->chains;
  };
  const auto chains = with(R"(["甲","乙","丙"])");
  EXPECT_EQ(shown(chains), "丙 北 0-1 | 乙 北大 0-2 | 甲 北大 0-2");
  EXPECT_EQ(with(R"(["丙","甲","乙"])"), chains);
  EXPECT_EQ(with(R"(["乙","丙","甲"])"), chains);
}

TEST(Extraction, UsageCountsTheWork) {
  StandIn stand_in(relation_facts(), "址地，");
  const auto answer = stand_in.ask(query_of("清华李四，北大张三", kRelations));
  ASSERT_TRUE(answer);
  const Usage& usage = answer->usage;
  EXPECT_EQ(usage.chars, 9);
  EXPECT_EQ(usage.labels, 3);
  EXPECT_EQ(usage.prompts, 2);
  EXPECT_EQ(usage.windows, 1);
  EXPECT_EQ(usage.passes, 2);
  EXPECT_EQ(usage.levels, 2);
  // [CLS][PREFIX][TYPE]组织机构[SEP] + 9 + [SEP]; two groups of 1 + 7 + 3 + 3 below.
  EXPECT_EQ(usage.tokens, (8 + 10) + (2 + 2 * 14 + 10));
}

}  // namespace
}  // namespace rex::pipeline
