// classification, multi_label, hierarchical, sentiment of whole texts, reading with choices.
#include <gmock/gmock.h>

#include "tasks/aspects.h"
#include "tasks/fake_model.h"

namespace rex::tasks {
namespace {

using pipeline::TextKind;
using testing::ElementsAre;

std::vector<std::string> asked(const pipeline::Query& query) {
  std::vector<std::string> labels;
  for (const schema::Node& node : query.schema->roots) labels.push_back(node.label);
  return labels;
}

TEST(Classification, GivesOneLabelWithSortedScores) {
  FakeModel model;
  model.scores({{{"教育"}, 0.9, true}, {{"民生"}, 0.1, false}, {{"体育"}, 0.2, false}});
  const TaskAnswer answer = model.answer(
      R"({"task": "classification", "text": "毕业", "labels": ["民生", "体育", "教育"]})");
  EXPECT_EQ(model.queries[0].kind, TextKind::kSingleLabel);
  EXPECT_EQ(model.queries[0].text, "毕业");
  EXPECT_EQ(answer.result["label"], "教育");
  EXPECT_EQ(answer.result["confidence"], 0.9);
  EXPECT_EQ(answer.result["fallback"], false);
  EXPECT_EQ(answer.result["scores"][1]["label"], "体育");
  EXPECT_EQ(output_json(answer).dump(),
            R"([[{"type":"教育","span":null,"offset":null,"confidence":0.9}]])");
}

TEST(Classification, FallbackAndTopKAreTold) {
  FakeModel model;
  model.scores({{{"a"}, 0.3, false}, {{"b"}, 0.2, false}}, 1, true);
  const TaskAnswer answer = model.answer(
      R"({"task": "tc", "text": "文", "labels": ["a", "b"], "options": {"top_k": 1}})");
  EXPECT_EQ(answer.result["fallback"], true);
  EXPECT_EQ(answer.result["scores"].size(), 1U);
  EXPECT_THAT(warning_codes(answer), ElementsAre("FALLBACK_CLASS"));
}

TEST(Classification, WeakAnswersMayAbstain) {
  FakeModel model;
  model.scores({{{"a"}, 0.4, true}});
  const Json result = model.result(
      R"({"task": "tc", "text": "文", "labels": ["a"], "options": {"min_confidence": 0.5}})");
  EXPECT_TRUE(result["label"].is_null());
  EXPECT_EQ(result["abstained"], true);
}

TEST(Classification, AGroupStandsBeforeItsLabels) {
  FakeModel model;
  model.scores({{{"情感倾向：正面"}, 0.9, true}});
  const Json result =
      model.result(R"({"task": "tc", "text": "文", "schema": {"情感倾向": ["正面", "负面"]}})");
  EXPECT_THAT(asked(model.queries[0]), ElementsAre("情感倾向：正面", "情感倾向：负面"));
  EXPECT_EQ(result["label"], "正面");
}

TEST(Classification, LabelTemplateSetsTheWording) {
  FakeModel model;
  model.result(
      R"({"task": "tc", "text": "文", "labels": ["科技"], "options": {"label_template": "这是{label}新闻"}})");
  EXPECT_THAT(asked(model.queries[0]), ElementsAre("这是科技新闻"));
}

TEST(Classification, TreesAreRefused) {
  FakeModel model;
  EXPECT_EQ(model.error(R"({"task": "tc", "text": "文", "schema": {"a": ["b"], "c": null}})"),
            ErrorCode::kSchemaTaskMismatch);
}

TEST(Classification, ThresholdIsTheLinksThreshold) {
  FakeModel model;
  model.result(R"({"task": "tc", "text": "文", "labels": ["a"], "options": {"threshold": 0.3}})");
  EXPECT_EQ(model.queries[0].options.threshold, 0.3);
  EXPECT_EQ(model.queries[0].options.multi_label_threshold, 0.9);
}

TEST(MultiLabel, ListsTheChosenLabels) {
  FakeModel model;
  model.scores({{{"童话"}, 0.95, true}, {{"故事"}, 0.92, true}, {{"科幻"}, 0.1, false}}, 2);
  const Json result = model.result(
      R"({"task": "multi_label", "text": "文", "labels": ["童话", "故事", "科幻"], "options": {"threshold": 0.8}})");
  EXPECT_EQ(model.queries[0].kind, TextKind::kMultiLabel);
  EXPECT_EQ(model.queries[0].options.multi_label_threshold, 0.8);  // D28
  EXPECT_EQ(model.queries[0].options.threshold, 0.5);
  EXPECT_EQ(result["labels"].dump(),
            R"([{"label":"童话","confidence":0.95},{"label":"故事","confidence":0.92}])");
  EXPECT_EQ(result["scores"].size(), 3U);
}

TEST(Hierarchical, PathsCarryTheirLevels) {
  FakeModel model;
  model.says({{choice("电器", 0.94), choice("雨刮", 0.9)}});
  const Json result =
      model.result(R"({"task": "hierarchical", "text": "文", "schema": {"电器": ["雨刮"]}})");
  EXPECT_EQ(
      result["paths"][0].dump(),
      R"({"path":["电器","雨刮"],"confidence":0.92,"levels":[{"label":"电器","confidence":0.94},{"label":"雨刮","confidence":0.9}]})");
}

TEST(Hierarchical, AcceptsPathsAndListsAsTrees) {
  const std::pair<const char*, const char*> forms[] = {
      {R"(["家电>厨房>电饭煲", "家电 ＞ 客厅", "服装"])",
       R"({"家电":{"厨房":{"电饭煲":null},"客厅":null},"服装":null})"},
      {R"("家电>厨房")", R"({"家电":{"厨房":null}})"},
      {R"({"类别树": ["家电", ["厨房", ["电饭煲"], "客厅"], "服装"]})",
       R"({"家电":{"厨房":{"电饭煲":null},"客厅":null},"服装":null})"},
      {R"(["家电", ["厨房"]])", R"({"家电":{"厨房":null}})"},
      {R"({"家电": ["厨房", "客厅"]})", R"({"家电":{"厨房":null,"客厅":null}})"},
  };
  for (const auto& [form, tree] : forms) {
    FakeModel model;
    model.result(std::string(R"({"task": "hier", "text": "文", "schema": )") + form + "}");
    ASSERT_EQ(model.queries.size(), 1U) << form;
    EXPECT_EQ(to_json(*model.queries[0].schema).dump(), tree) << form;
  }
}

TEST(Hierarchical, FieldsChooseMarkerAndInnerNodes) {
  FakeModel model;
  model.result(
      R"({"task": "hier", "text": "文", "schema": {"a": ["b"]}, "multi": true, "stop_early": true})");
  EXPECT_EQ(model.queries[0].kind, TextKind::kMultiLabel);
  EXPECT_TRUE(model.queries[0].options.partial_paths);
}

TEST(Hierarchical, MisfitsAreErrors) {
  FakeModel model;
  EXPECT_EQ(model.error(R"({"task": "hier", "text": "文", "schema": [["a"]]})"),
            ErrorCode::kSchemaBadValue);
  EXPECT_EQ(model.error(R"({"task": "hier", "text": "文", "schema": ["a>b", 3]})"),
            ErrorCode::kSchemaBadValue);
  EXPECT_EQ(model.error(R"({"task": "hier", "text": "文", "schema": ["a>>b"]})"),
            ErrorCode::kLabelEmpty);
  EXPECT_EQ(model.error(R"({"task": "hier", "text": "文", "schema": ["a"], "multi": 1})"),
            ErrorCode::kOptionType);
}

TEST(Sentiment, WholeTextIsAClassQuestionWithPolarity) {
  const char* bodies[] = {
      R"({"task": "sentiment", "text": "文", "level": "sentence"})",
      R"({"task": "sentiment", "text": "文", "labels": ["正向情感", "负向情感"]})",
      R"({"task": "sentiment", "text": "文", "schema": {"正向情感": null, "负向情感": null}})"};
  for (const char* body : bodies) {
    FakeModel model;
    model.scores({{{"负向情感"}, 0.9, true}, {{"正向情感"}, 0.1, false}});
    const Json result = model.result(body);
    EXPECT_THAT(asked(model.queries[0]), ElementsAre("正向情感", "负向情感")) << body;
    EXPECT_EQ(result["label"], "负向情感");
    EXPECT_EQ(result["polarity"], "negative");
  }
}

TEST(Sentiment, TheListFormOfAGroupMeansTheWholeText) {
  FakeModel model;
  model.scores({{{"情感倾向：中性"}, 0.9, true}});
  const Json result = model.result(
      R"({"task": "sentiment", "text": "文", "schema": {"情感倾向": ["正面", "负面", "中性"]}})");
  EXPECT_EQ(model.queries[0].kind, TextKind::kSingleLabel);
  EXPECT_EQ(result["polarity"], "neutral");
  EXPECT_EQ(result["label"], "中性");
}

TEST(Sentiment, LevelMustBeKnown) {
  FakeModel model;
  EXPECT_EQ(model.error(R"({"task": "sentiment", "text": "文", "level": "word"})"),
            ErrorCode::kOptionRange);
}

TEST(Sentiment, PolarityFollowsTheUsualNames) {
  EXPECT_EQ(polarity_of("好评"), "positive");
  EXPECT_EQ(polarity_of("不喜欢"), "negative");
  EXPECT_EQ(polarity_of("中性情感(情感词)"), "neutral");
  EXPECT_EQ(polarity_of("愤怒"), "");
}

TEST(Reading, ChoicesAreAskedBehindTheQuestion) {
  FakeModel model;
  model.scores({{{"为什么?头晕"}, 0.78, true}, {{"为什么?太贵"}, 0.2, false}});
  const Json result = model.result(
      R"({"task": "reading", "text": "文", "question": "为什么?", "choices": ["太贵", "头晕"]})");
  EXPECT_THAT(asked(model.queries[0]), ElementsAre("为什么?太贵", "为什么?头晕"));
  EXPECT_EQ(result["choice"], "头晕");
  EXPECT_EQ(result["index"], 1);
  EXPECT_EQ(result["scores"][0]["label"], "头晕");
}

TEST(Reading, BadChoicesAreErrors) {
  FakeModel model;
  EXPECT_EQ(model.error(R"({"task": "mrc", "text": "文", "question": "a", "choices": []})"),
            ErrorCode::kOptionType);
  EXPECT_EQ(model.error(R"({"task": "mrc", "text": "文", "question": "a", "choices": ["b", " "]})"),
            ErrorCode::kLabelEmpty);
}

}  // namespace
}  // namespace rex::tasks
