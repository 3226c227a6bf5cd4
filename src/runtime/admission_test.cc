#include "runtime/admission.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>
#include <vector>

namespace rex::runtime {
namespace {

using namespace std::chrono_literals;
using Time = std::chrono::steady_clock;

TEST(Admission, WhatNeverFitsIsRefusedAtOnce) {
  Admission memory(100);
  const auto ticket = memory.acquire(101, Time::now() + 1h, {});
  ASSERT_FALSE(ticket);
  EXPECT_EQ(ticket.error().code, ErrorCode::kWorkTooLarge);
}

TEST(Admission, WhatDoesNotFitNowWaitsForItsTurn) {
  Admission memory(100);
  auto first = std::make_optional(memory.acquire(80, Time::now() + 1h, {}));
  ASSERT_TRUE(*first);
  auto second = std::async(std::launch::async,
                           [&] { return memory.acquire(50, Time::now() + 1h, {}).has_value(); });
  EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
  first.reset();
  EXPECT_TRUE(second.get());
  EXPECT_EQ(memory.used(), 0);
  EXPECT_EQ(memory.peak(), 80);
}

TEST(Admission, ATicketGrowsWhileThereIsRoomAndGivesAllBack) {
  Admission memory(100);
  {
    auto ticket = memory.acquire(40, Time::now() + 1h, {});
    ASSERT_TRUE(ticket);
    EXPECT_TRUE(ticket->grow(60));
    EXPECT_EQ(memory.used(), 100);
    EXPECT_FALSE(ticket->grow(1));
    EXPECT_EQ(memory.used(), 100);
  }
  EXPECT_EQ(memory.used(), 0);
}

TEST(Admission, ASmallOneDoesNotOvertakeALargeOne) {
  Admission memory(100);
  auto first = std::make_optional(memory.acquire(60, Time::now() + 1h, {}));
  auto large = std::async(std::launch::async,
                          [&] { return memory.acquire(90, Time::now() + 1h, {}).has_value(); });
  std::this_thread::sleep_for(20ms);
  auto small = std::async(std::launch::async,
                          [&] { return memory.acquire(10, Time::now() + 1h, {}).has_value(); });
  EXPECT_EQ(small.wait_for(20ms), std::future_status::timeout);
  first.reset();
  EXPECT_TRUE(large.get());
  EXPECT_TRUE(small.get());
}

TEST(Admission, AtTheDeadlineItSaysThatMemoryIsExhausted) {
  Admission memory(100);
  const auto held = memory.acquire(80, Time::now() + 1h, {});
  const auto late = memory.acquire(50, Time::now() + 20ms, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kGpuMemoryExhausted);
  EXPECT_EQ(late.error().message, "GPU memory exhausted");
  EXPECT_TRUE(memory.acquire(20, Time::now() + 1h, {}));
}

TEST(Admission, AStoppedCallerLeavesTheLine) {
  Admission memory(100);
  const auto held = memory.acquire(80, Time::now() + 1h, {});
  std::stop_source source;
  auto waiting = std::async(
      std::launch::async, [&] { return memory.acquire(50, Time::now() + 1h, source.get_token()); });
  std::this_thread::sleep_for(10ms);
  source.request_stop();
  const auto stopped = waiting.get();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
}

TEST(Admission, ManyThreadsNeverHoldMoreThanTheBudget) {
  Admission memory(100);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&memory, t] {
        for (int i = 0; i < 200; ++i) {
          const auto ticket = memory.acquire(10 + t * 12, Time::now() + 1h, {});
          EXPECT_TRUE(ticket);
        }
      });
    }
  }
  EXPECT_LE(memory.peak(), 100);
  EXPECT_EQ(memory.used(), 0);
}

}  // namespace
}  // namespace rex::runtime
