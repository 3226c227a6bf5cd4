// The reference behaviour's peculiarities, each by its rule, with a stand-in engine. Parity with
// real models is golden_e2e_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/stand_in.h"

namespace rex::pipeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kMarker = "[CLASSIFY]";

Query reference_query(std::string text, const std::string& schema_json) {
  auto schema = schema::parse_schema(Json::parse(schema_json), {.reference = true});
  EXPECT_TRUE(schema) << schema.error().to_string();
  Query query{std::move(text), std::make_shared<const schema::Schema>(*std::move(schema)), {}, {}};
  query.options.behaviour = Behaviour::kReference;
  return query;
}

TEST(Reference, D9_D10_DuplicatesStayAndHeadsComeBeforeWindowsAreMerged) {
  StandIn stand_in({{"", "人物", "张三"}}, "一");
  Query query = reference_query("一一一一一一张三一一一一一一一张三一", R"({"人物":null})");
  query.options.max_length = 16;
  EXPECT_EQ(shown(stand_in.ask(query)->chains), "人物 张三 6-8 | 人物 张三 6-8 | 人物 张三 15-17");
}

TEST(Reference, D6_LinksToTheFinalSepAreReported) {
  StandIn stand_in({{"", "人物", "三[SEP]"}, {"", "人物", "[SEP]"}}, "张");
  const auto answer = stand_in.ask(reference_query("张三", R"({"人物":null})"));
  EXPECT_EQ(shown(answer->chains), "人物  1-0 | 人物  0-0");
}

TEST(Reference, D7_TrimmingPastTheEndSkipsTheHit) {
  StandIn stand_in({{"", "人物", "[SEP]"}}, "");
  EXPECT_THAT(stand_in.ask(reference_query("   ", R"({"人物":null})"))->chains, IsEmpty());
}

TEST(Reference, D4_TheStartSkipsSpaces) {
  StandIn stand_in({{"", "人物", "[SEP]"}}, "张");
  EXPECT_EQ(shown(stand_in.ask(reference_query("  张", R"({"人物":null})"))->chains), "人物  2-0");
}

TEST(Reference, D5_Q11_PrefixLabelsAreStrippedTheLegalPathsAreNot) {
  StandIn stand_in({{"", "人物", "张三"}, {"人物:张三", "住址", "北京"}}, "在");
  const auto answer = stand_in.ask(reference_query("张三在北京", R"({" 人物 ":{"住址":null}})"));
  EXPECT_THAT(answer->chains, IsEmpty());
  EXPECT_EQ(stand_in.log->passes.size(), 2U);
  EXPECT_EQ(shown(stand_in.ask(reference_query("张三", R"({" 人物 ":null})"))->chains),
            " 人物  张三 0-2");
}

TEST(Reference, P4_T5_SpecialStringsInTheTextAreLive) {
  StandIn stand_in({{"", "人物", "张"}}, "");
  ASSERT_TRUE(stand_in.ask(reference_query("张[SEP]张", R"({"人物":null})")));
  EXPECT_EQ(stand_in.log->passes[0].text, "张[SEP]张[SEP]");
}

TEST(Reference, Q10_PrefixInTheTextIsAnError) {
  StandIn stand_in({}, "张人物");
  const auto answer = stand_in.ask(reference_query("张[PREFIX]张", R"({"人物":null})"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kFieldConflict);
}

TEST(Reference, Q25_AnEmptySchemaHasAnEmptyAnswer) {
  StandIn stand_in({}, "张");
  const auto answer = stand_in.ask(reference_query("[CLASSIFY]张", "{}"));
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->chains, IsEmpty());
  EXPECT_THAT(stand_in.log->passes, IsEmpty());
}

TEST(Reference, P10_OverlongLabelsAreLeftOutWithAWarning) {
  std::string label;
  for (int i = 0; i < 125; ++i) label += "长";
  StandIn stand_in({{"", "人物", "张"}}, label);
  const auto answer =
      stand_in.ask(reference_query("张", R"({"人物":null,")" + label + R"(":null})"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(shown(answer->chains), "人物 张 0-1");
  ASSERT_EQ(answer->warnings.size(), 1U);
  EXPECT_EQ(answer->warnings[0].code, "LABEL_TOO_LONG");
}

TEST(Reference, D14_D25_AClassHitIsReportedWithItsMarker) {
  StandIn stand_in({{"", "甲", kMarker, 2.0F}, {"", "乙", kMarker, 1.0F}, {"", "乙", "丙"}}, "");
  EXPECT_EQ(
      shown(stand_in.ask(reference_query("[CLASSIFY]丙", R"({"甲":null,"乙":null})"))->chains),
      "甲 [CLASSIFY] 0-10");
}

TEST(Reference, D18_OrdinarySpansOpenPromptsToo) {
  StandIn stand_in({{"", "甲", kMarker}, {"", "甲", "丙"}, {"甲:[CLASSIFY]", "乙", kMarker}}, "");
  const auto answer = stand_in.ask(reference_query("[CLASSIFY]丙", R"({"甲":{"乙":null}})"));
  EXPECT_EQ(stand_in.log->hints().back(),
            "[CLS][PREFIX]甲:[CLASSIFY][TYPE]乙[PREFIX]甲:丙[TYPE]乙[SEP]");
  EXPECT_EQ(shown(answer->chains), "甲 [CLASSIFY] 0-10 → 乙 [CLASSIFY] 0-10");
}

TEST(Reference, D26_TheFallbackRunsEverythingAgain) {
  StandIn stand_in({{"", "乙", kMarker, -1.0F}}, "甲丙");
  const auto answer = stand_in.ask(reference_query("[CLASSIFY]丙", R"({"甲":null,"乙":null})"));
  EXPECT_TRUE(answer->fallback);
  EXPECT_EQ(shown(answer->chains), "乙 [CLASSIFY] 0-10");
  EXPECT_EQ(stand_in.log->passes.size(), 2U);
  EXPECT_EQ(stand_in.log->passes[0], stand_in.log->passes[1]);
}

TEST(Reference, D26_Q13_NoFallbackAnswerWhenTheMarkerIsNotFirst) {
  StandIn stand_in({{"", "乙", "丙", -1.0F}}, "甲");
  const auto answer = stand_in.ask(reference_query("丙[CLASSIFY]", R"({"甲":null,"乙":null})"));
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->chains, IsEmpty());
}

TEST(Reference, D28_D29_TheFinalStepKeepsThoseAboveNineTenths) {
  const char* marker = "[MULTICLASSIFY]";
  StandIn stand_in({{"", "甲", marker, 3.0F}, {"", "乙", marker, 1.0F}}, "丙");
  Query query = reference_query("[MULTICLASSIFY]丙", R"({"甲":null,"乙":null})");
  EXPECT_EQ(shown(stand_in.ask(query)->chains), "甲 [MULTICLASSIFY] 0-15");
  query.options.reference_final_step = false;
  EXPECT_EQ(shown(stand_in.ask(query)->chains),
            "乙 [MULTICLASSIFY] 0-15 | 甲 [MULTICLASSIFY] 0-15");
}

TEST(Reference, Q12_BothMarkersEndInAnErrorAtTheFinalStep) {
  StandIn stand_in({{"", "甲", kMarker}}, "");
  Query query = reference_query("[CLASSIFY][MULTICLASSIFY]", R"({"甲":null})");
  const auto answer = stand_in.ask(query);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kFieldConflict);
  query.options.reference_final_step = false;
  EXPECT_EQ(shown(stand_in.ask(query)->chains), "甲 [CLASSIFY] 0-10");
}

TEST(Reference, D19_D22_LaterWindowsAndHintsSeeInsertedMarkers) {
  StandIn stand_in({{"", "甲", kMarker}, {"甲:[CLASSIFY]", "乙", kMarker}}, "一二");
  Query query = reference_query("[CLASSIFY]一一一一一一一一一二二", R"({"甲":{"乙":null}})");
  query.options.max_length = 16;
  query.options.max_passes = 100;
  ASSERT_TRUE(stand_in.ask(query));
  ASSERT_GE(stand_in.log->passes.size(), 3U);
  EXPECT_EQ(stand_in.log->passes[0].text, "[CLASSIFY]一一一一一一一一一[SEP]");
  EXPECT_EQ(stand_in.log->passes[1].text, "[CLASSIFY]二[SEP]");
  EXPECT_EQ(stand_in.log->passes[2].text.substr(0, 13), "[CLASSIFY]一");
}

}  // namespace
}  // namespace rex::pipeline
