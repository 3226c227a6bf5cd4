// Reading of answers into chains and results: ner, relation, event, absa, sentiment, reading.
#include <gmock/gmock.h>

#include "tasks/fake_model.h"

namespace rex::tasks {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Ner, ListsEntitiesAndEveryLabel) {
  FakeModel model;
  model.says({{step("组织机构", "北大", 0, 2, 0.98)}, {step("组织机构", "清华", 3, 5, 0.97)}});
  const Json result =
      model.result(R"({"task": "ner", "text": "北大、清华", "schema": ["人物", "组织机构"]})");
  EXPECT_EQ(result["entities"][0].dump(),
            R"({"label":"组织机构","text":"北大","start":0,"end":2,"confidence":0.98})");
  EXPECT_EQ(result["by_label"].dump(), R"({"人物":[],"组织机构":["北大","清华"]})");
}

TEST(Ner, OutputHasTheChainFormInTheOriginalsKeyOrder) {  // D30
  FakeModel model;
  model.says({{step("人物", "张三", 0, 2, 0.5)}});
  const TaskAnswer answer = model.answer(R"({"task": "ner", "text": "张三", "labels": ["人物"]})");
  EXPECT_EQ(output_json(answer).dump(),
            R"([[{"type":"人物","span":"张三","offset":[0,2],"confidence":0.5}]])");
}

TEST(Ner, NestedAnswersNameTheirParents) {
  FakeModel model;
  model.says({{step("人物", "张三", 0, 2), step("职务", "教授", 2, 4)}});
  const Json result =
      model.result(R"({"task": "ner", "text": "张三教授", "schema": {"人物": ["职务"]}})");
  EXPECT_EQ(result["entities"][0]["label"], "职务");
  EXPECT_EQ(result["entities"][0]["parents"][0]["text"], "张三");
  EXPECT_EQ(result["by_label"].dump(), R"({"人物/职务":["教授"]})");
}

TEST(Ner, NothingFoundIsAWarning) {
  FakeModel model;
  EXPECT_THAT(warning_codes(model.answer(R"({"task": "ner", "text": "文", "labels": ["人物"]})")),
              ElementsAre("RESULT_EMPTY"));
}

TEST(Ner, ReferenceOutputHasNoConfidence) {  // D31
  FakeModel model;
  model.says({{step("人物", "张三", 0, 2)}});
  const TaskAnswer answer = model.answer(
      R"({"task": "ner", "text": "张三", "labels": ["人物"], "options": {"behaviour": "reference"}})");
  EXPECT_EQ(output_json(answer).dump(), R"([[{"type":"人物","span":"张三","offset":[0,2]}]])");
}

constexpr const char* kRelation =
    R"j({"task": "re", "text": "央视是中央电视台和电视剧中心", "schema": {"组织机构": ["简称(组织机构)", "总部"]}})j";

TEST(Relation, TriplesSplitTheObjectType) {
  FakeModel model;
  model.says(
      {{step("组织机构", "中央电视台", 3, 8, 0.95), step("简称(组织机构)", "央视", 0, 2, 0.93)}},
      {{step("组织机构", "中央电视台", 3, 8)}, {step("组织机构", "电视剧中心", 9, 14)}});
  const Json result = model.result(kRelation);
  ASSERT_EQ(result["triples"].size(), 1U);
  const Json& triple = result["triples"][0];
  EXPECT_EQ(triple["subject"]["text"], "中央电视台");
  EXPECT_EQ(triple["relation"], "简称");
  EXPECT_EQ(triple["object_type"], "组织机构");
  EXPECT_EQ(triple["object"]["start"], 0);
  ASSERT_EQ(result["subjects_without_relation"].size(), 1U);  // Q5
  EXPECT_EQ(result["subjects_without_relation"][0]["text"], "电视剧中心");
  EXPECT_EQ(result["graph"]["nodes"].size(), 2U);
  EXPECT_EQ(result["graph"]["edges"][0]["from"], "n1");
  EXPECT_EQ(result["graph"]["edges"][0]["to"], "n2");
}

TEST(Relation, EqualNodesOfTheGraphAreOne) {
  FakeModel model;
  model.says({{step("组织机构", "甲", 0, 1), step("总部", "乙", 2, 3)},
              {step("组织机构", "甲", 0, 1), step("简称(组织机构)", "甲", 0, 1)}});
  const Json graph = model.result(kRelation)["graph"];
  EXPECT_EQ(graph["nodes"].size(), 2U);
  EXPECT_EQ(graph["edges"][1]["from"], graph["edges"][1]["to"]);
}

TEST(Relation, LongerChainsAreTuples) {
  FakeModel model;
  model.says({{step("a", "甲", 0, 1), step("b", "乙", 1, 2), step("c", "丙", 2, 3)}});
  const Json result =
      model.result(R"({"task": "re", "text": "甲乙丙", "schema": {"a": {"b": ["c"]}}})");
  EXPECT_THAT(result["triples"], IsEmpty());
  EXPECT_EQ(result["tuples"][0].size(), 3U);
  EXPECT_EQ(result["tuples"][0][2]["text"], "丙");
}

TEST(Relation, FlatSchemaWarnsAndYieldsEntities) {
  FakeModel model;
  model.says({{step("组织机构", "甲", 0, 1)}});
  const TaskAnswer answer = model.answer(R"({"task": "re", "text": "甲", "schema": ["组织机构"]})");
  EXPECT_THAT(warning_codes(answer), ElementsAre("RELATION_SCHEMA_FLAT"));
  EXPECT_EQ(answer.result["entities"][0]["text"], "甲");
}

constexpr const char* kEvent =
    R"({"task": "event", "text": "7月28日，泰达负于天海。", "schema": {"胜负": ["时间", "败者", "胜者"]}})";

TEST(Event, SuffixIsAddedToTriggersWithoutIt) {
  FakeModel model;
  model.result(kEvent);
  EXPECT_EQ(model.queries[0].schema->roots[0].label, "胜负(事件触发词)");
  model.result(R"j({"task": "event", "text": "文", "schema": {"胜负(事件触发词)": ["时间"]}})j");
  EXPECT_EQ(model.queries[1].schema->roots[0].label, "胜负(事件触发词)");
  model.result(
      R"({"task": "event", "text": "文", "schema": ["胜负"], "options": {"event_suffix": "off"}})");
  EXPECT_EQ(model.queries[2].schema->roots[0].label, "胜负");
}

TEST(Event, SuffixReachesTheThresholds) {
  FakeModel model;
  model.result(R"({"task": "event", "text": "文", "schema": {"胜负": ["时间"]},
                   "options": {"thresholds": {"胜负": 0.3, "胜负/时间": 0.4, "胜负者": 0.5}}})");
  const std::map<std::string, double> expected = {
      {"胜负(事件触发词)", 0.3}, {"胜负(事件触发词)/时间", 0.4}, {"胜负者", 0.5}};
  EXPECT_EQ(model.queries[0].options.thresholds, expected);
}

TEST(Event, GroupsByTriggerAndNamesMissingRoles) {
  const auto trigger = step("胜负(事件触发词)", "负", 8, 9, 0.96);
  const auto other = step("胜负(事件触发词)", "胜", 2, 3);
  FakeModel model;
  model.says({{trigger, step("时间", "7月28日", 0, 5)}, {trigger, step("败者", "泰达", 6, 8)}},
             {{trigger}, {other}});
  const Json events = model.result(kEvent)["events"];
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0]["trigger"]["text"], "胜");  // a trigger without arguments, Q5
  EXPECT_EQ(events[0]["missing_roles"].dump(), R"(["时间","败者","胜者"])");
  EXPECT_EQ(events[1]["event_type"], "胜负");
  EXPECT_EQ(events[1]["trigger"].dump(), R"({"text":"负","start":8,"end":9,"confidence":0.96})");
  EXPECT_EQ(events[1]["arguments"][1]["role"], "败者");
  EXPECT_EQ(events[1]["arguments"][1]["text"], "泰达");
  EXPECT_EQ(events[1]["missing_roles"].dump(), R"(["胜者"])");
}

TEST(Absa, UsesItsDefaultSchema) {
  FakeModel model;
  model.says({{step("属性词", "音质", 4, 6, 0.9), step("情感词", "很好", 6, 8, 0.8)}});
  const Json result = model.result(R"({"task": "absa", "text": "很满意，音质很好"})");
  EXPECT_EQ(to_json(*model.queries[0].schema).dump(), R"({"属性词":{"情感词":null}})");
  EXPECT_EQ(result["pairs"][0]["aspect"]["text"], "音质");
  EXPECT_EQ(result["pairs"][0]["opinion"]["text"], "很好");
  EXPECT_EQ(result["pairs"][0]["confidence"], 0.72);
  EXPECT_FALSE(result["pairs"][0].contains("polarity"));
}

TEST(Absa, HashForAnAbsentAspectIsNowhereToBeSeen) {  // D13
  FakeModel model;
  model.says({{step("属性词", "#", 0, 1), step("情感词", "很满意", 1, 4)},
              {step("属性词", "音质", 5, 7), step("情感词", "很好", 7, 9)},
              {step("属性词", "#很", 0, 2), step("情感词", "满意", 2, 4)}},
             {{step("属性词", "#", 0, 1)}});
  const TaskAnswer answer = model.answer(
      R"({"task": "absa", "text": "很满意，音质很好", "options": {"implicit_aspect": true}})");
  EXPECT_EQ(model.queries[0].text, "#很满意，音质很好");
  const Json& pairs = answer.result["pairs"];
  EXPECT_TRUE(pairs[0]["aspect"].is_null());
  EXPECT_EQ(pairs[0]["opinion"]["start"], 0);
  EXPECT_EQ(pairs[0]["opinion"]["end"], 3);
  EXPECT_EQ(pairs[1]["aspect"]["start"], 4);
  EXPECT_EQ(pairs[2]["aspect"].dump(), R"({"text":"很","start":0,"end":1,"confidence":0.9})");
  EXPECT_THAT(answer.result["aspects_without_opinion"], IsEmpty());
  const Json output = output_json(answer);
  EXPECT_TRUE(output[0][0]["span"].is_null());
  EXPECT_TRUE(output[0][0]["offset"].is_null());
  EXPECT_EQ(output[1][0]["offset"].dump(), "[4,6]");
}

TEST(Absa, AspectsWithoutOpinionAreListed) {
  FakeModel model;
  model.says({{step("属性词", "音质", 0, 2), step("情感词", "好", 2, 3)}},
             {{step("属性词", "音质", 0, 2)}, {step("属性词", "外观", 4, 6)}});
  const Json result = model.result(R"({"task": "absa", "text": "音质好，外观"})");
  ASSERT_EQ(result["aspects_without_opinion"].size(), 1U);
  EXPECT_EQ(result["aspects_without_opinion"][0]["text"], "外观");
}

TEST(Sentiment, PairsCarryThePolarityOfTheirLabel) {
  FakeModel model;
  model.says({{step("属性词", "音质", 0, 2), step("正向情感(情感词)", "好", 2, 3)},
              {step("属性词", "外观", 4, 6), step("负向情感(情感词)", "差", 6, 7)}});
  const Json result = model.result(R"({"task": "sentiment", "text": "音质好，外观差"})");
  EXPECT_EQ(result["pairs"][0]["polarity"], "positive");
  EXPECT_EQ(result["pairs"][0]["polarity_label"], "正向情感");
  EXPECT_EQ(result["summary"].dump(), R"({"positive":1,"negative":1,"neutral":0})");
}

TEST(Reading, BestSpanAnswersAndOthersAreAlternatives) {
  FakeModel model;
  model.says({{step("在哪？", "石门", 5, 7, 0.6)}, {step("在哪？", "云州", 1, 3, 0.8)}});
  const Json result = model.result(
      R"({"task": "mrc", "text": "位于云州的石门", "questions": ["在哪？", "多长？"]})");
  EXPECT_EQ(result["answers"].size(), 1U);
  EXPECT_EQ(result["answers"][0]["text"], "云州");
  EXPECT_EQ(result["answers"][0]["alternatives"][0]["text"], "石门");
  EXPECT_EQ(result["unanswered"].dump(), R"(["多长？"])");
}

TEST(Reading, TakesTheQuestionInEveryForm) {
  for (const char* body : {R"({"task": "mrc", "text": "文", "question": "在哪？"})",
                           R"({"task": "mrc", "text": "文", "schema": {"在哪？": null}})",
                           R"({"task": "mrc", "schema": {"问题": "在哪？", "段落": "文"}})",
                           R"({"task": "mrc", "问题": "在哪？", "段落": "文"})"}) {
    FakeModel model;
    model.result(body);
    ASSERT_EQ(model.queries.size(), 1U) << body;
    EXPECT_EQ(model.queries[0].text, "文");
    EXPECT_EQ(to_json(*model.queries[0].schema).dump(), R"({"在哪？":null})");
  }
}

TEST(Reading, MisfitsAreErrors) {
  FakeModel model;
  using enum ErrorCode;
  EXPECT_EQ(model.error(R"({"task": "mrc", "text": "文"})"), kSchemaMissing);
  EXPECT_EQ(model.error(R"({"task": "mrc", "text": "文", "question": "a", "questions": ["b"]})"),
            kFieldConflict);
  EXPECT_EQ(
      model.error(R"({"task": "mrc", "text": "文", "questions": ["a", "b"], "choices": ["c"]})"),
      kFieldConflict);
  EXPECT_EQ(model.error(R"({"task": "mrc", "text": "文", "schema": {"a": ["b"]}})"),
            kSchemaTaskMismatch);
  EXPECT_EQ(model.error(R"({"task": "mrc", "text": "文", "question": 4})"), kOptionType);
}

TEST(Texts, MissingBlankLongAndBrokenTextsAreErrors) {
  FakeModel model;
  EXPECT_EQ(model.error(R"({"task": "ner", "labels": ["a"]})"), ErrorCode::kTextMissing);
  EXPECT_EQ(model.error(R"({"task": "ner", "labels": ["a"], "text": ""})"),
            ErrorCode::kTextMissing);
  EXPECT_EQ(model.error(R"({"task": "ner", "labels": ["a"], "text": " \t\u3000\n"})"),
            ErrorCode::kTextMissing);
  EXPECT_EQ(model.error(R"({"task": "ner", "text": "文"})"), ErrorCode::kSchemaMissing);

  TaskRequest request =
      read_request({{"task", "ner"}, {"text", "文文文"}, {"labels", {"a"}}}).value();
  request.limits.max_text_chars = 2;
  EXPECT_EQ(start_ner(request).error().code, ErrorCode::kTextTooLong);
  request.text = "a\xff";
  EXPECT_EQ(start_ner(request).error().code, ErrorCode::kEncodingInvalid);
}

TEST(Texts, ReferenceBehaviourTakesBlankTexts) {  // Q23
  FakeModel model;
  model.result(
      R"({"task": "ner", "labels": ["a"], "text": " ", "options": {"behaviour": "reference"}})");
  EXPECT_EQ(model.queries[0].text, " ");
}

}  // namespace
}  // namespace rex::tasks
