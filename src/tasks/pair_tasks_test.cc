// matching and coref.
#include <gmock/gmock.h>

#include "tasks/fake_model.h"

namespace rex::tasks {
namespace {

using testing::ElementsAre;

TEST(Matching, PutsBothTextsIntoParagraphs) {
  const char* bodies[] = {R"({"task": "matching", "text1": "甲", "text2": "乙"})",
                          R"({"task": "matching", "query": "甲", "title": "乙"})",
                          R"({"task": "matching", "premise": "甲", "hypothesis": "乙"})",
                          R"({"task": "matching", "pair": ["甲", "乙"]})",
                          R"({"task": "matching", "text": "段落1：甲；段落2：乙"})"};
  for (const char* body : bodies) {
    FakeModel model;
    model.result(body);
    ASSERT_EQ(model.queries.size(), 1U) << body;
    EXPECT_EQ(model.queries[0].text, "段落1：甲；段落2：乙") << body;
    EXPECT_EQ(to_json(*model.queries[0].schema).dump(),
              R"({"文本匹配：相似":null,"文本匹配：不相似":null})");
  }
}

TEST(Matching, ShortLabelsComeBack) {
  FakeModel model;
  model.scores(
      {{{"段落2和段落1的关系是：矛盾"}, 0.9, true}, {{"段落2和段落1的关系是：中立"}, 0.2, false}});
  const Json result = model.result(R"({"task": "nli", "text1": "甲", "text2": "乙"})");
  EXPECT_EQ(result["label"], "矛盾");
  EXPECT_EQ(result["mode"], "nli");
  EXPECT_EQ(result["scores"][1]["label"], "中立");
}

TEST(Matching, CustomLabelsStandBehindThePrompt) {
  FakeModel model;
  model.result(
      R"({"task": "matching", "text1": "甲", "text2": "乙", "labels": ["是", "否"], "prompt": "一致："})");
  EXPECT_EQ(to_json(*model.queries[0].schema).dump(), R"({"一致：是":null,"一致：否":null})");
}

TEST(Matching, SymmetricAsksBothWaysAndAverages) {
  FakeModel model;
  model.scores({{{"文本匹配：相似"}, 0.6, true}, {{"文本匹配：不相似"}, 0.5, false}});
  model.scores({{{"文本匹配：不相似"}, 0.9, true}, {{"文本匹配：相似"}, 0.2, false}});
  const Json result =
      model.result(R"({"task": "matching", "text1": "甲", "text2": "乙", "symmetric": true})");
  ASSERT_EQ(model.queries.size(), 2U);
  EXPECT_EQ(model.queries[1].text, "段落1：乙；段落2：甲");
  EXPECT_EQ(result["label"], "不相似");
  EXPECT_EQ(result["confidence"], 0.7);
  EXPECT_EQ(result["scores"][1]["confidence"], 0.4);
}

TEST(Matching, MisfitsAreErrors) {
  FakeModel model;
  using enum ErrorCode;
  EXPECT_EQ(model.error(R"({"task": "matching"})"), kTextMissing);
  EXPECT_EQ(model.error(R"({"task": "matching", "text1": "甲"})"), kTextMissing);
  EXPECT_EQ(model.error(R"({"task": "matching", "text1": "甲", "text2": " "})"), kTextMissing);
  EXPECT_EQ(model.error(R"({"task": "matching", "text1": "甲", "text2": 2})"), kTextNotString);
  EXPECT_EQ(model.error(R"({"task": "matching", "pair": ["甲"]})"), kOptionType);
  EXPECT_EQ(model.error(R"({"task": "matching", "pair": ["甲", "乙"], "mode": "x"})"),
            kOptionRange);
  EXPECT_EQ(model.error(R"({"task": "matching", "pair": ["甲", "乙"], "mode": "custom"})"),
            kSchemaMissing);
  EXPECT_EQ(model.error(R"({"task": "matching", "text": "甲", "symmetric": true})"),
            kFieldConflict);
}

pipeline::LabelScore yes(const char* pronoun, const char* candidate, double confidence) {
  return {{std::string("下面的句子中，代词“") + pronoun + "”指代的是“" + candidate + "”吗？是的"},
          confidence,
          true};
}
pipeline::LabelScore no(const char* pronoun, const char* candidate, double confidence) {
  return {{std::string("下面的句子中，代词“") + pronoun + "”指代的是“" + candidate + "”吗？不是"},
          confidence,
          false};
}

constexpr const char* kCoref =
    R"({"task": "coref", "text": "山水旁的事物，你不能给它增加。", "pronoun": "它", "candidates": ["山水", "事物"]})";

TEST(Coref, JudgesEveryPair) {
  FakeModel model;
  model.scores({no("它", "山水", 0.8), yes("它", "山水", 0.2)});
  model.scores({yes("它", "事物", 0.7), no("它", "事物", 0.3)});
  const TaskAnswer answer = model.answer(kCoref);
  ASSERT_EQ(model.queries.size(), 2U);
  EXPECT_EQ(model.queries[0].text, "山水（候选词）旁的事物，你不能给它(代词)增加。");
  EXPECT_EQ(model.queries[1].text, "山水旁的事物（候选词），你不能给它(代词)增加。");
  const Json& link = answer.result["links"][0];
  EXPECT_EQ(link["pronoun"].dump(), R"({"text":"它","start":11,"end":12})");
  EXPECT_EQ(link["antecedent"].dump(), R"({"text":"事物","start":4,"end":6})");
  EXPECT_EQ(link["accepted"], true);
  EXPECT_EQ(link["confidence"], 0.7);
  EXPECT_EQ(link["scores"].size(), 2U);
  EXPECT_EQ(answer.result["resolved_text"], "山水旁的事物，你不能给事物增加。");
  EXPECT_EQ(answer.chains.size(), 2U);
}

TEST(Coref, NothingAcceptedLeavesTheText) {
  FakeModel model;
  model.scores({no("它", "山水", 0.8), yes("它", "山水", 0.2)});
  model.scores({no("它", "事物", 0.9), yes("它", "事物", 0.3)});
  const Json result = model.result(kCoref);
  EXPECT_EQ(result["links"][0]["accepted"], false);
  EXPECT_EQ(result["resolved_text"], "山水旁的事物，你不能给它增加。");
}

TEST(Coref, FindsPronounsAndCandidatesByItself) {
  FakeModel model;
  model.says({{step("人物", "张三", 0, 2)}, {step("组织机构", "张三", 0, 2)}});
  model.scores({yes("他", "张三", 0.9), no("他", "张三", 0.1)});
  const Json result = model.result(R"({"task": "coref", "text": "张三说他累了"})");
  ASSERT_EQ(model.queries.size(), 2U);
  EXPECT_EQ(model.queries[0].text, "张三说他累了");
  EXPECT_EQ(model.queries[1].text, "张三（候选词）说他(代词)累了");
  EXPECT_EQ(result["resolved_text"], "张三说张三累了");
}

TEST(Coref, AutomaticFormIsASchemaToo) {
  FakeModel model;
  model.says({});
  const TaskAnswer answer = model.answer(
      R"({"task": "coref", "text": "张三说他累了", "schema": {"代词": {"指代对象": null}}})");
  EXPECT_TRUE(answer.result["links"][0]["antecedent"].is_null());
  EXPECT_THAT(warning_codes(answer), ElementsAre("RESULT_EMPTY"));
}

TEST(Coref, OriginalFormPassesThrough) {
  FakeModel model;
  model.scores({no("它", "事物", 0.6), yes("它", "事物", 0.4)});
  const Json result = model.result(R"({"task": "coref", "text": "事物（候选词）给它(代词)增加",
      "labels": ["下面的句子中，代词“它”指代的是“事物”吗？是的", "下面的句子中，代词“它”指代的是“事物”吗？不是"]})");
  EXPECT_EQ(model.queries[0].text, "事物（候选词）给它(代词)增加");
  EXPECT_EQ(result["accepted"], false);
}

TEST(Coref, FarCandidatesAreNotAsked) {
  FakeModel model;
  model.result(R"({"task": "coref", "text": "山水旁的事物，你不能给它增加。", "pronoun": "它",
                   "candidates": ["山水", "事物"], "options": {"coref_max_distance": 6}})");
  ASSERT_EQ(model.queries.size(), 1U);
  EXPECT_EQ(model.queries[0].text, "山水旁的事物（候选词），你不能给它(代词)增加。");
}

TEST(Coref, TooManyPairsKeepTheNearest) {
  FakeModel model;
  TaskRequest request = read_request(parse_json(kCoref).value()).value();
  request.limits.max_coref_pairs = 1;
  const auto answers = run_requests(model.analyze(), std::span(&request, 1));
  ASSERT_EQ(model.queries.size(), 1U);
  EXPECT_EQ(model.queries[0].text, "山水旁的事物（候选词），你不能给它(代词)增加。");
  EXPECT_THAT(warning_codes(*answers[0]), testing::Contains("CANDIDATES_CAPPED"));
}

TEST(Coref, PronounMustOccur) {
  FakeModel model;
  EXPECT_EQ(
      model.error(R"({"task": "coref", "text": "文", "pronoun": "它", "candidates": ["文"]})"),
      ErrorCode::kOptionRange);
}

}  // namespace
}  // namespace rex::tasks
