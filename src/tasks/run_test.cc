#include "tasks/run.h"

#include <gmock/gmock.h>

#include "core/check.h"
#include "tasks/fake_model.h"

namespace rex::tasks {
namespace {

TaskRequest request_of(std::string_view body) {
  return read_request(parse_json(body).value()).value();
}

std::vector<TaskRequest> mixed_requests() {
  return {request_of(R"({"task": "ner", "text": "甲", "labels": ["人物"]})"),
          request_of(R"({"task": "ner", "text": " ", "labels": ["人物"]})"),
          request_of(R"({"task": "coref", "text": "张三说他累了"})"),
          request_of(R"({"task": "tc", "text": "乙", "labels": ["a"]})")};
}

TEST(RunRequests, PacksRoundsTogetherAndKeepsOrder) {
  FakeModel model;
  std::vector<size_t> rounds;
  model.says({{step("人物", "甲", 0, 1)}})
      .says({{step("人物", "张三", 0, 2)}})
      .scores({{{"a"}, 0.9, true}});
  const Analyze counted = [&](std::span<const pipeline::Query> queries, std::stop_token stop) {
    rounds.push_back(queries.size());
    return model.analyze()(queries, stop);
  };
  const auto answers = run_requests(counted, mixed_requests());
  EXPECT_EQ(rounds, (std::vector<size_t>{3, 1}));
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0].value().result["entities"].size(), 1U);
  EXPECT_EQ(answers[1].error().code, ErrorCode::kTextMissing);
  EXPECT_EQ(answers[2].value().result["links"].size(), 1U);
  EXPECT_EQ(answers[3].value().result["label"], "a");
}

TEST(RunRequests, AFailedQueryFailsItsRequestAlone) {
  const Analyze analyze = [](std::span<const pipeline::Query> queries, std::stop_token) {
    std::vector<Result<pipeline::Answer>> results(queries.size(), pipeline::Answer{});
    results[0] = fail(ErrorCode::kWorkTooLarge, "too much");
    return results;
  };
  const auto answers = run_requests(analyze, mixed_requests());
  EXPECT_EQ(answers[0].error().code, ErrorCode::kWorkTooLarge);
  EXPECT_TRUE(answers[2]);
  EXPECT_TRUE(answers[3]);
}

TEST(RunRequests, BugsBecomeInternalErrors) {
  const Analyze analyze = [](std::span<const pipeline::Query>,
                             std::stop_token) -> std::vector<Result<pipeline::Answer>> {
    throw InternalError("broken");
  };
  const auto answers = run_requests(analyze, mixed_requests());
  EXPECT_EQ(answers[0].error().code, ErrorCode::kInternal);
  EXPECT_EQ(answers[1].error().code, ErrorCode::kTextMissing);
}

TEST(RunRequests, UsageIsSummedAndWarningsAreNotRepeated) {
  const Analyze analyze = [](std::span<const pipeline::Query> queries, std::stop_token) {
    pipeline::Answer answer;
    answer.usage = {
        .chars = 1, .tokens = 2, .labels = 3, .prompts = 4, .windows = 5, .passes = 6, .levels = 7};
    answer.warnings = {{"W", "same", ""}};
    return std::vector<Result<pipeline::Answer>>(queries.size(), answer);
  };
  const auto request =
      request_of(R"({"task": "matching", "pair": ["甲", "乙"], "symmetric": true})");
  const auto answers = run_requests(analyze, std::span(&request, 1));
  EXPECT_EQ(answers[0]->usage.tokens, 4);
  EXPECT_EQ(answers[0]->usage.windows, 5);
  EXPECT_THAT(warning_codes(*answers[0]), testing::ElementsAre("W"));
}

TEST(RunRequests, NoRequestsNoAnswers) {
  FakeModel model;
  EXPECT_TRUE(run_requests(model.analyze(), {}).empty());
}

TEST(TaskAnswerJson, HasAllParts) {
  FakeModel model;
  model.says({{step("人物", "甲", 0, 1)}});
  const Json json =
      to_json(model.answer(R"({"task": "ner", "text": "甲", "labels": ["人物"], "x": 1})"));
  EXPECT_EQ(json["task"], "ner");
  EXPECT_EQ(json["output"].size(), 1U);
  EXPECT_EQ(json["result"]["entities"].size(), 1U);
  EXPECT_TRUE(json["usage"].contains("passes"));
  EXPECT_EQ(json["warnings"][0]["param"], "/x");
}

}  // namespace
}  // namespace rex::tasks
