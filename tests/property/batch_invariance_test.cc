// An answer does not depend on what else is asked in the same call.
#include <gtest/gtest.h>

#include <random>

#include "property/mini_pipeline.h"

namespace rex {
namespace {

TEST(BatchInvariance, TheAnswerIsTheSameAloneAndAmongRandomNeighbours) {
  const std::vector<pipeline::Query> pool = mixed_queries();
  std::vector<std::string> alone;
  for (const pipeline::Query& query : pool) {
    alone.push_back(shown(mini_pipeline().analyze({&query, 1})[0]));
  }
  std::mt19937 random(20'26);
  for (const size_t size : {2U, 8U, 32U}) {
    for (int round = 0; round < 2; ++round) {
      std::vector<size_t> chosen(size);
      std::vector<pipeline::Query> batch;
      for (size_t& index : chosen) {
        index = random() % pool.size();
        batch.push_back(pool[index]);
      }
      const auto results = mini_pipeline().analyze(batch);
      for (size_t i = 0; i < size; ++i) {
        EXPECT_EQ(shown(results[i]), alone[chosen[i]])
            << "query " << chosen[i] << " of a batch of " << size;
      }
    }
  }
}

TEST(BatchInvariance, TheBagHoldsAnswersOfEveryKind) {
  size_t chains = 0, deep = 0, scores = 0, windows = 0, errors = 0;
  for (const auto& result : mini_pipeline().analyze(mixed_queries())) {
    if (!result) {
      ++errors;
      continue;
    }
    chains += result->chains.size();
    for (const pipeline::Chain& chain : result->chains) deep += chain.size() > 1 ? 1 : 0;
    scores += result->scores.size();
    windows = std::max(windows, static_cast<size_t>(result->usage.windows));
  }
  EXPECT_GT(chains, 20U);
  EXPECT_GT(deep, 2U);
  EXPECT_GT(scores, 10U);
  EXPECT_GT(windows, 1U);
  EXPECT_EQ(errors, 1U);
}

}  // namespace
}  // namespace rex
