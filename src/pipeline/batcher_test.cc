// Batches that several calls share: turns, priorities, stopping, deadlines.
#include "pipeline/batcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <semaphore>
#include <thread>

#include "pipeline/stand_in.h"

namespace rex::pipeline {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

constexpr const char* kNer = R"(["人物"])";

// A model whose first batch waits for open(), so that a test can fill the queue behind it.
struct Gate {
  explicit Gate(engine::BatchLimits limits)
      : stand_in({{"", "人物", "张三"}}, "一二三甲乙", limits) {
    stand_in.log->before_batch = [this]() -> Result<void> {
      if (first) {
        first = false;
        started.release();
        may_run.acquire();
      }
      return {};
    };
    blocker = std::async(std::launch::async, [this] { return ask({"张三"}).size(); });
    started.acquire();
  }

  // Answers of one call; each text is a pass of its own.
  std::vector<Result<Answer>> ask(const std::vector<std::string>& texts, CallOptions options = {}) {
    std::vector<Query> queries;
    for (const std::string& text : texts) queries.push_back(query_of(text, kNer));
    return stand_in.pipeline->analyze(queries, options);
  }
  std::future<std::vector<Result<Answer>>> ask_later(std::vector<std::string> texts,
                                                     CallOptions options = {}) {
    const size_t before = stand_in.pipeline->waiting_passes();
    auto answers =
        std::async(std::launch::async, [this, texts, options] { return ask(texts, options); });
    while (stand_in.pipeline->waiting_passes() < before + texts.size()) std::this_thread::yield();
    return answers;
  }
  void open() { may_run.release(); }
  // Texts of the batches after the first, in the order in which the engine saw them.
  [[nodiscard]] std::vector<std::string> seen() const {
    std::vector<std::string> texts;
    for (const StandInPass& pass : stand_in.log->passes) {
      texts.push_back(pass.text.substr(0, pass.text.find('[')));
    }
    texts.erase(texts.begin());
    return texts;
  }

  StandIn stand_in;
  bool first = true;
  std::binary_semaphore started{0}, may_run{0};
  std::future<size_t> blocker;
};

TEST(Batcher, CallsThatWaitShareABatch) {
  Gate gate({.tokens = 512, .passes = 8});
  auto a = gate.ask_later({"张三一", "张三二"});
  auto b = gate.ask_later({"一张三"});
  gate.open();
  EXPECT_EQ(shown(b.get()[0]->chains), "人物 张三 1-3");
  EXPECT_EQ(shown(a.get()[1]->chains), "人物 张三 0-2");
  EXPECT_THAT(gate.stand_in.log->batch_passes, ElementsAre(1, 3));
}

TEST(Batcher, ACallOfManyPassesDoesNotHoldUpASmallOne) {
  Gate gate({.tokens = 512, .passes = 2});
  auto large = gate.ask_later({"一", "一一", "一一一", "一一一一"});
  auto small = gate.ask_later({"二"});
  gate.open();
  large.get();
  small.get();
  EXPECT_THAT(gate.seen(), ElementsAre("一", "二", "一一", "一一一", "一一一一"));
}

TEST(Batcher, HigherPriorityGoesFirst) {
  Gate gate({.tokens = 512, .passes = 1});
  auto low = gate.ask_later({"一"}, {.priority = 0});
  auto normal = gate.ask_later({"二"});
  auto high = gate.ask_later({"三"}, {.priority = 2});
  gate.open();
  low.get(), normal.get(), high.get();
  EXPECT_THAT(gate.seen(), ElementsAre("三", "二", "一"));
}

TEST(Batcher, LowPriorityMovesEvenWhenHighPriorityNeverEnds) {
  Gate gate({.tokens = 512, .passes = 1});
  auto high = gate.ask_later(std::vector<std::string>(20, "三"), {.priority = 2});
  auto low = gate.ask_later({"一"}, {.priority = 0});
  gate.open();
  low.get(), high.get();
  const auto seen = gate.seen();
  EXPECT_LT(std::find(seen.begin(), seen.end(), "一") - seen.begin(), 10);
}

TEST(Batcher, ACallThatWantsToBeAloneSharesNoBatch) {
  Gate gate({.tokens = 512, .passes = 8});
  auto a = gate.ask_later({"一", "一一"}, {.alone = true});
  auto b = gate.ask_later({"二", "二二"});
  gate.open();
  a.get(), b.get();
  EXPECT_THAT(gate.seen(), ElementsAre("一", "二", "一一", "二二"));
  EXPECT_THAT(gate.stand_in.log->batch_passes, ElementsAre(1, 1, 1, 1, 1));
}

TEST(Batcher, AStoppedCallLeavesTheQueueAndTheOthersStay) {
  Gate gate({.tokens = 512, .passes = 1});
  std::stop_source source;
  auto stopped = gate.ask_later({"一", "一一"}, {.stop = source.get_token()});
  auto other = gate.ask_later({"张三"});
  source.request_stop();
  EXPECT_EQ(stopped.get()[0].error().code, ErrorCode::kCancelled);
  gate.open();
  EXPECT_TRUE(other.get()[0]);
  EXPECT_THAT(gate.seen(), ElementsAre("张三"));
}

TEST(Batcher, ACallStoppedWhileItsBatchRunsIsAnsweredAtOnce) {
  Gate gate({.tokens = 512, .passes = 1});
  gate.open();
  gate.blocker.get();
  std::binary_semaphore running{0}, go_on{0};
  std::atomic<bool> hold = true;
  gate.stand_in.log->before_batch = [&]() -> Result<void> {
    if (!hold) return {};
    running.release();
    go_on.acquire();
    return {};
  };
  std::stop_source source;
  auto stopped = std::async(std::launch::async,
                            [&] { return gate.ask({"一"}, {.stop = source.get_token()}); });
  running.acquire();
  source.request_stop();
  EXPECT_EQ(stopped.get()[0].error().code, ErrorCode::kCancelled);
  hold = false;
  go_on.release();
  EXPECT_EQ(shown(gate.ask({"张三"})[0]->chains), "人物 张三 0-2");
}

TEST(Batcher, PastItsDeadlineACallFails) {
  Gate gate({.tokens = 512, .passes = 1});
  auto late = gate.ask_later({"一"}, {.deadline = Clock::now() + 20ms});
  EXPECT_EQ(late.get()[0].error().code, ErrorCode::kRequestTimeout);
  gate.open();
}

TEST(Batcher, ReportsWhatItDid) {
  Gate gate({.tokens = 512, .passes = 8});
  std::vector<BatchReport> batches;
  gate.stand_in.pipeline->set_observer([&](const BatchReport& batch) { batches.push_back(batch); });
  CallReport report;
  std::vector<TracedPass> trace;
  auto a = gate.ask_later({"张三", "一"}, {.report = &report, .trace = &trace});
  gate.open();
  a.get();
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace[0].spans.size(), 1U);
  EXPECT_EQ(trace[0].end, 2);
  EXPECT_EQ(report.batches, 1);
  EXPECT_EQ(report.largest_batch, 2);
  gate.ask({"一"});  // the engine's thread has reported the batch before this one
  ASSERT_GE(batches.size(), 2U);
  EXPECT_EQ(batches[1].passes, 2);
  EXPECT_GT(batches[1].tokens, 8);
}

TEST(Batcher, WhereBatchesAreBriefACallRunsItsOwn) {
  StandIn stand_in({{"", "人物", "张三"}}, "一二三甲乙", {.tokens = 512, .passes = 1}, true);
  std::vector<std::thread::id> ran_on;
  stand_in.log->before_batch = [&]() -> Result<void> {
    ran_on.push_back(std::this_thread::get_id());
    return {};
  };
  EXPECT_EQ(shown(stand_in.ask(query_of("一张三", kNer))->chains), "人物 张三 1-3");
  EXPECT_EQ(shown(stand_in.ask(query_of("张三", kNer))->chains), "人物 张三 0-2");
  EXPECT_THAT(ran_on, ElementsAre(std::this_thread::get_id(), std::this_thread::get_id()));
}

TEST(Batcher, WhereBatchesAreBriefAStoppedCallLeavesTheQueue) {
  StandIn stand_in({}, "一二三甲乙", {.tokens = 512, .passes = 1}, true);
  const Query query = query_of("一", kNer);
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(stand_in.pipeline->analyze({&query, 1}, {.stop = source.get_token()})[0].error().code,
            ErrorCode::kCancelled);
  EXPECT_EQ(stand_in.pipeline->waiting_passes(), 0U);
}

TEST(Batcher, WhereBatchesAreBriefConcurrentCallsAllGetTheirAnswers) {
  StandIn stand_in({{"", "人物", "张三"}}, "一二三甲乙", {.tokens = 512, .passes = 3}, true);
  std::atomic<int> right = 0;
  const auto call = [&](int seed) {
    for (int i = 0; i < 50; ++i) {
      std::vector<Query> queries;
      for (int q = 0; q <= (seed + i) % 5; ++q) queries.push_back(query_of("一张三", kNer));
      bool good = true;
      for (const auto& answer : stand_in.pipeline->analyze(queries)) {
        good = good && answer && shown(answer->chains) == "人物 张三 1-3";
      }
      right += good ? 1 : 0;
    }
  };
  {
    std::vector<std::jthread> callers;
    for (int seed = 0; seed < 8; ++seed) callers.emplace_back(call, seed);
  }
  EXPECT_EQ(right, 8 * 50);
  EXPECT_EQ(stand_in.pipeline->waiting_passes(), 0U);
}

}  // namespace
}  // namespace rex::pipeline
