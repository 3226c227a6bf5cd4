#include <gtest/gtest.h>

#include <thread>

#include "rexuninlu/rexuninlu.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace rexuninlu {
namespace {

const Analyzer& mini() {
  static const Analyzer analyzer = [] {
    auto loaded = Analyzer::load(rex::mini_model_dir(),
                                 {.device = "cpu", .threads = 2, .max_batch_tokens = 1024});
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().to_string());
    return *std::move(loaded);
  }();
  return analyzer;
}

const Request kNer{.task = "ner",
                   .text = "北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。",
                   .schema = R"({"人物": null, "地理位置": null, "组织机构": null})"};

TEST(Analyzer, AnswersWithSpansOfTheTextAsSent) {
  const Outcome outcome = mini().analyze(kNer);
  ASSERT_TRUE(outcome) << outcome.error().to_string();
  ASSERT_EQ(outcome->chains.size(), 3U);
  EXPECT_EQ(outcome->chains[0][0].label, "组织机构");
  EXPECT_EQ(outcome->chains[0][0].text, "北大西洋议会");
  EXPECT_EQ(outcome->chains[0][0].start, 0);
  EXPECT_EQ(outcome->chains[0][0].end, 6);
  EXPECT_GT(outcome->chains[0][0].confidence, 0.5);
  EXPECT_EQ(outcome->usage.chars, 24);
  EXPECT_NE(outcome->to_json().find("\"output\":[["), std::string::npos);
  EXPECT_NE(outcome->result_json.find("\"by_label\""), std::string::npos);
}

TEST(Analyzer, ABadRequestFailsAlone) {
  const Request requests[] = {
      kNer,
      {.task = "ner", .text = " ", .schema = "人物"},
      {.task = "dance", .text = "文"},
      {.task = "ner", .text = "文", .schema = "{\"a\": 3}"},
      {.task = "ner", .text = "a\xff", .schema = "人物"},
      {.task = "ner", .text = "文", .schema = "人物", .options_json = "[1]"},
      kNer};
  const auto outcomes = mini().analyze(requests);
  ASSERT_EQ(outcomes.size(), std::size(requests));
  EXPECT_EQ(outcomes[0].value().to_json(), outcomes[6].value().to_json());
  EXPECT_EQ(outcomes[1].error().code, "TEXT_MISSING");
  EXPECT_EQ(outcomes[2].error().code, "TASK_UNKNOWN");
  EXPECT_EQ(outcomes[3].error().code, "SCHEMA_BAD_VALUE");
  EXPECT_EQ(outcomes[3].error().place, "/schema/a");
  EXPECT_EQ(outcomes[4].error().code, "ENCODING_INVALID");
  EXPECT_EQ(outcomes[5].error().code, "JSON_INVALID");
}

TEST(Analyzer, ServesSeveralThreadsWithEqualAnswers) {
  const std::string expected = mini().analyze(kNer)->to_json();
  std::vector<std::string> answers(3);
  std::vector<std::jthread> threads;
  for (std::string& answer : answers) {
    threads.emplace_back([&answer] { answer = mini().analyze(kNer)->to_json(); });
  }
  threads.clear();
  for (const std::string& answer : answers) EXPECT_EQ(answer, expected);
}

TEST(Analyzer, StoppedRequestsAreCancelled) {
  std::stop_source source;
  source.request_stop();
  const Outcome outcome = mini().analyze(kNer, source.get_token());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "CANCELLED");
}

TEST(Analyzer, FieldsAndOptionsReachTheTask) {
  const Outcome outcome = mini().analyze({.task = "sentiment",
                                          .text = "有点看不下去了，亏了。",
                                          .fields_json = R"({"level": "sentence"})",
                                          .options_json = R"({"top_k": 1})"});
  ASSERT_TRUE(outcome) << outcome.error().to_string();
  EXPECT_FALSE(outcome->chains[0][0].has_place());
  EXPECT_NE(outcome->result_json.find("\"polarity\":\"negative\""), std::string::npos);
}

TEST(Analyzer, LoadingFailsWithOneClearError) {
  rex::TempDir empty;
  EXPECT_EQ(Analyzer::load("/no/such/model").error().code, "FILE_NOT_FOUND");
  EXPECT_EQ(Analyzer::load(empty.path()).error().code, "FILE_NOT_FOUND");
  EXPECT_EQ(Analyzer::load(rex::mini_model_dir(), {.device = "abacus"}).error().code,
            "OPTION_RANGE");
  EXPECT_EQ(Analyzer::load(rex::mini_model_dir(), {.threads = -3}).error().code, "OPTION_RANGE");
  EXPECT_FALSE(Analyzer::load("/no/such/model").error().advice.empty());
}

TEST(Analyzer, SaysWhereItRuns) {
  EXPECT_EQ(mini().info().device, "cpu");
  EXPECT_EQ(mini().info().threads, 2);
}

}  // namespace
}  // namespace rexuninlu
