// The pipeline as a whole: batches, failures, cancelling, threads.
#include "pipeline/analyze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/check.h"
#include "pipeline/stand_in.h"

namespace rex::pipeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Fact> facts() {
  return {{"", "人物", "张三"},
          {"", "组织", "北大"},
          {"组织:北大", "校长", "张三"},
          {"", "甲", "[CLASSIFY]"}};
}
constexpr const char* kMore = "一二三，乙";
constexpr const char* kNer = R"(["人物"])";
constexpr const char* kRelation = R"({"组织":{"校长":null}})";

std::vector<Query> mixed_queries() {
  return {query_of("张三，一二三", kNer), query_of("北大，张三", kRelation),
          query_of("一二三", R"(["甲","乙"])", TextKind::kSingleLabel), query_of("", kNer)};
}

TEST(Analyze, P14_RunsTheLevelsOfAllQueriesTogether) {
  StandIn stand_in(facts(), kMore);
  const auto results = stand_in.pipeline->analyze(mixed_queries());
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(shown(results[0]->chains), "人物 张三 0-2");
  EXPECT_EQ(shown(results[1]->chains), "组织 北大 0-2 → 校长 张三 3-5");
  EXPECT_EQ(shown(results[2]->chains), "甲");
  EXPECT_THAT(results[3]->chains, IsEmpty());
  EXPECT_THAT(stand_in.log->batch_passes, ElementsAre(3, 1));
}

TEST(Analyze, ABatchHoldsNoMoreThanTheEngineAllows) {
  StandIn stand_in(facts(), kMore, {.tokens = 512, .passes = 2});
  const std::vector<Query> queries(5, query_of("张三", kNer));
  for (const auto& result : stand_in.pipeline->analyze(queries)) {
    EXPECT_EQ(shown(result->chains), "人物 张三 0-2");
  }
  EXPECT_THAT(stand_in.log->batch_passes, ElementsAre(2, 2, 1));
}

TEST(Analyze, NoQueriesNoResults) {
  StandIn stand_in({}, "");
  EXPECT_THAT(stand_in.pipeline->analyze({}), IsEmpty());
}

TEST(Analyze, Q44_QueriesMayShareASchema) {
  StandIn stand_in(facts(), kMore);
  const Query first = query_of("张三", kNer);
  Query second = first;
  second.text = "一张三";
  const auto results = stand_in.pipeline->analyze(std::vector<Query>{first, second});
  EXPECT_EQ(shown(results[0]->chains), "人物 张三 0-2");
  EXPECT_EQ(shown(results[1]->chains), "人物 张三 1-3");
}

TEST(Analyze, ABadQueryFailsAlone) {
  StandIn stand_in(facts(), kMore);
  std::vector<Query> queries(6, query_of("张三", kNer));
  queries[0].text = "张\xff";
  queries[1].schema = nullptr;
  queries[2].options.threshold = 7;
  queries[3].schema = std::make_shared<const schema::Schema>();
  queries[4].text.assign((64U << 20) + 1, 'a');
  const auto results = stand_in.pipeline->analyze(queries);
  const ErrorCode expected[] = {ErrorCode::kEncodingInvalid, ErrorCode::kSchemaMissing,
                                ErrorCode::kOptionRange, ErrorCode::kSchemaEmpty,
                                ErrorCode::kTextTooLong};
  for (size_t i = 0; i < 5; ++i) {
    ASSERT_FALSE(results[i]) << i;
    EXPECT_EQ(results[i].error().code, expected[i]) << i;
  }
  EXPECT_EQ(shown(results[5]->chains), "人物 张三 0-2");
}

// The second of three batches goes wrong; what it holds fails, the rest is answered.
TEST(Analyze, AnEngineErrorFailsTheQueriesOfItsBatch) {
  for (const bool throws : {false, true}) {
    StandIn stand_in(facts(), kMore, {.tokens = 512, .passes = 2});
    int batch = 0;
    stand_in.log->before_batch = [&]() -> Result<void> {
      if (++batch != 2) return {};
      if (throws) throw InternalError("a bug");
      return fail(ErrorCode::kWorkTooLarge, "too much");
    };
    const auto results = stand_in.pipeline->analyze(std::vector<Query>(5, query_of("张三", kNer)));
    for (const size_t i : {0, 1, 4}) EXPECT_TRUE(results[i]) << i;
    for (const size_t i : {2, 3}) {
      ASSERT_FALSE(results[i]) << i;
      EXPECT_EQ(results[i].error().code, throws ? ErrorCode::kInternal : ErrorCode::kWorkTooLarge);
    }
  }
}

TEST(Analyze, MemoryThatRunsOutIsAnError) {
  StandIn stand_in(facts(), kMore);
  stand_in.log->before_batch = []() -> Result<void> { throw std::bad_alloc(); };
  const auto result = stand_in.ask(query_of("张三", kNer));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kMemoryExhausted);
  stand_in.log->before_batch = [] { return Result<void>(); };
  EXPECT_TRUE(stand_in.ask(query_of("张三", kNer)));
}

TEST(Analyze, StoppingFailsWhatIsNotFinishedBetweenTwoBatches) {
  StandIn stand_in(facts(), kMore);
  std::stop_source source;
  stand_in.log->before_batch = [&] {
    source.request_stop();
    return Result<void>();
  };
  const auto results = stand_in.pipeline->analyze(mixed_queries(), source.get_token());
  EXPECT_EQ(stand_in.log->batch_passes.size(), 1U);
  EXPECT_TRUE(results[3]);
  ASSERT_FALSE(results[1]);  // its second level was never run
  EXPECT_EQ(results[1].error().code, ErrorCode::kCancelled);
}

TEST(Analyze, CallsFromSeveralThreadsGiveTheSameAnswers) {
  StandIn stand_in(facts(), kMore);
  std::atomic<int> inside = 0;
  std::atomic<bool> overlapped = false;
  stand_in.log->before_batch = [&] {
    if (++inside > 1) overlapped = true;
    std::this_thread::yield();
    --inside;
    return Result<void>();
  };
  const std::vector<Query> queries = mixed_queries();
  const auto expected = stand_in.pipeline->analyze(queries);
  std::atomic<int> equal = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int round = 0; round < 20; ++round) {
          const auto results = stand_in.pipeline->analyze(queries);
          bool same = true;
          for (size_t i = 0; i < results.size(); ++i) {
            same = same && results[i] && results[i]->chains == expected[i]->chains;
          }
          equal += same ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(equal, 80);
  EXPECT_FALSE(overlapped);  // the engine serves one batch at a time
}

}  // namespace
}  // namespace rex::pipeline
