// For tests: a model that answers what the test says and keeps what it was asked.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "tasks/run.h"

namespace rex::tasks {

inline pipeline::Step step(std::string label, std::string span, int32_t start, int32_t end,
                           double confidence = 0.9) {
  return {std::move(label), std::move(span), start, end, confidence};
}

// A class step: no place in the text.
inline pipeline::Step choice(std::string label, double confidence = 0.9) {
  return {std::move(label), "", -1, -1, confidence};
}

struct FakeModel {
  std::deque<pipeline::Answer> answers;  // given in turn; empty ones when they run out
  std::vector<pipeline::Query> queries;  // everything that was asked

  // Adds an extraction answer.
  FakeModel& says(std::vector<pipeline::Chain> chains, std::vector<pipeline::Chain> inner = {}) {
    answers.push_back({.chains = std::move(chains),
                       .inner = std::move(inner),
                       .scores = {},
                       .usage = {},
                       .warnings = {}});
    return *this;
  }
  // Adds a class answer: scores by label path, the first `chosen` of them chosen.
  FakeModel& scores(std::vector<pipeline::LabelScore> scores, size_t chosen = 1,
                    bool fallback = false) {
    pipeline::Answer answer;
    for (size_t i = 0; i < chosen; ++i) {
      pipeline::Chain chain;
      for (const std::string& label : scores[i].path)
        chain.push_back(choice(label, scores[i].confidence));
      answer.chains.push_back(std::move(chain));
    }
    answer.scores = std::move(scores);
    answer.fallback = fallback;
    answers.push_back(std::move(answer));
    return *this;
  }

  Analyze analyze() {
    return [this](std::span<const pipeline::Query> asked, std::stop_token) {
      std::vector<Result<pipeline::Answer>> results;
      for (const pipeline::Query& query : asked) {
        queries.push_back(query);
        pipeline::Answer answer;
        if (!answers.empty()) answer = std::move(answers.front()), answers.pop_front();
        results.emplace_back(std::move(answer));
      }
      return results;
    };
  }

  // Runs one request given as JSON text.
  Result<TaskAnswer> run(std::string_view body) {
    REX_TRY(json, parse_json(body));
    REX_TRY(request, read_request(json));
    return std::move(run_requests(analyze(), std::span(&request, 1)).front());
  }

  // The `result` of a request that must succeed.
  Json result(std::string_view body) { return answer(body).result; }
  TaskAnswer answer(std::string_view body) {
    auto answer = run(body);
    EXPECT_TRUE(answer) << body << ": " << (answer ? "" : answer.error().to_string());
    return answer ? *std::move(answer) : TaskAnswer{};
  }

  // The code of a request that must fail.
  ErrorCode error(std::string_view body) {
    const auto answer = run(body);
    EXPECT_FALSE(answer) << body << " was accepted";
    return answer ? ErrorCode::kInternal : answer.error().code;
  }
};

inline std::vector<std::string> warning_codes(const TaskAnswer& answer) {
  std::vector<std::string> codes;
  for (const Warning& warning : answer.warnings) codes.push_back(warning.code);
  return codes;
}

}  // namespace rex::tasks
