#include "runtime/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

namespace rex::runtime {
namespace {

using namespace std::chrono_literals;

TEST(WorkerPool, RunsEveryJobBeforeItEnds) {
  std::atomic<int> ran = 0;
  {
    WorkerPool pool({.workers = 4});
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(pool.submit({[&] { ++ran; }, [](Error) {}}));
  }
  EXPECT_EQ(ran, 100);
}

struct Blocked {
  explicit Blocked(WorkerLimits limits) : pool(limits) {
    EXPECT_TRUE(pool.submit({[this] { started.release(), go.acquire(); }, [](Error) {}}));
    started.acquire();
  }
  std::binary_semaphore started{0}, go{0};
  WorkerPool pool;
};

TEST(WorkerPool, AFullQueueRefuses) {
  Blocked blocked({.workers = 1, .capacity = 1});
  EXPECT_TRUE(blocked.pool.submit({[] {}, [](Error) {}}));
  const auto refused = blocked.pool.submit({[] {}, [](Error) {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kQueueFull);
  EXPECT_EQ(blocked.pool.waiting(), 1U);
  EXPECT_EQ(blocked.pool.running(), 1U);
  blocked.go.release();
}

TEST(WorkerPool, WaitingBodiesAreBoundedToo) {
  Blocked blocked({.workers = 1, .max_bytes = 100});
  EXPECT_TRUE(blocked.pool.submit({[] {}, [](Error) {}, 60}));
  EXPECT_FALSE(blocked.pool.submit({[] {}, [](Error) {}, 60}));
  EXPECT_TRUE(blocked.pool.submit({[] {}, [](Error) {}, 40}));
  blocked.go.release();
}

TEST(WorkerPool, AJobThatWaitedTooLongIsRefusedNotRun) {
  Blocked blocked({.workers = 1, .queue_timeout = 10ms});
  std::binary_semaphore refused{0};
  EXPECT_TRUE(blocked.pool.submit({[] { ADD_FAILURE() << "ran"; },
                                   [&](const Error& error) {
                                     EXPECT_EQ(error.code, ErrorCode::kQueueTimeout);
                                     refused.release();
                                   }}));
  std::this_thread::sleep_for(30ms);
  blocked.go.release();
  EXPECT_TRUE(refused.try_acquire_for(5s));
}

TEST(WorkerPool, WhatWouldBeAnsweredTooLateIsRefusedWhenItComes) {
  Blocked blocked({.workers = 1, .queue_timeout = 100ms});
  std::binary_semaphore stopped{0}, on{0}, last{0};
  for (size_t i = 0; i < ServiceRate::kEnough; ++i) {
    ASSERT_TRUE(blocked.pool.submit({[] {}, [](Error) {}}));
  }
  ASSERT_TRUE(blocked.pool.submit({[&] { stopped.release(), on.acquire(); }, [](Error) {}}));
  // Two wait behind the one that stopped; whether they run or were refused, they end.
  const auto ended = [&] { last.release(); };
  ASSERT_TRUE(blocked.pool.submit({[] {}, [](Error) {}}));
  ASSERT_TRUE(blocked.pool.submit({ended, [&](const Error&) { ended(); }}));
  blocked.go.release();
  stopped.acquire();
  // 33 jobs ended; four more take an eighth of the time since the first of them.
  std::this_thread::sleep_for(1s);
  const auto refused = blocked.pool.submit({[] {}, [](Error) {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kQueueFull);
  on.release();
  last.acquire();
  while (blocked.pool.running() > 0) std::this_thread::yield();
  // Idle again, the past does not count.
  EXPECT_TRUE(blocked.pool.submit({[] {}, [](Error) {}}));
}

TEST(WorkerPool, GrowsByThreadsThatTakeWhatWaits) {
  Blocked blocked({.workers = 1});
  std::binary_semaphore ran{0};
  ASSERT_TRUE(blocked.pool.submit({[&] { ran.release(); }, [](Error) {}}));
  EXPECT_EQ(blocked.pool.waiting(), 1U);
  blocked.pool.grow(2);
  ran.acquire();
  blocked.go.release();
}

TEST(ServiceRate, SaysNothingBeforeItHasSeenEnough) {
  const auto start = ServiceRate::Clock::time_point{};
  ServiceRate rate;
  for (size_t i = 0; i + 1 < ServiceRate::kEnough; ++i) rate.finished(start + i * 10ms);
  EXPECT_EQ(rate.seconds_for(1, start + 1s), std::nullopt);
  rate.finished(start + 310ms);
  EXPECT_DOUBLE_EQ(rate.seconds_for(64, start + 320ms).value_or(0), 0.64);
  EXPECT_DOUBLE_EQ(rate.seconds_for(64, start + 640ms).value_or(0), 1.28);  // it has stopped
  rate.forget();
  EXPECT_EQ(rate.seconds_for(1, start + 1s), std::nullopt);
}

TEST(ServiceRate, OnlyTheLastJobsCount) {
  const auto start = ServiceRate::Clock::time_point{};
  ServiceRate rate;
  for (size_t i = 0; i < 100; ++i) rate.finished(start + i * 1s);
  for (size_t i = 0; i < ServiceRate::kMost; ++i) rate.finished(start + 100s + i * 1ms);
  EXPECT_DOUBLE_EQ(rate.seconds_for(1000, start + 100s + ServiceRate::kMost * 1ms).value_or(0),
                   1.0);
}

TEST(WorkerPool, TheThreadThatWasBusyLastGetsTheNextJob) {
  WorkerPool pool({.workers = 8});
  const auto ran_on = [&pool] {
    std::thread::id id;
    std::binary_semaphore done{0};
    EXPECT_TRUE(pool.submit({[&] {
                               id = std::this_thread::get_id();
                               done.release();
                             },
                             [](Error) {}}));
    done.acquire();
    while (pool.running() > 0) std::this_thread::yield();
    return id;
  };
  // Threads that still start become idle later than the first job's; all have after a while.
  std::thread::id last = ran_on();
  int same = 0;
  for (int i = 0; i < 10'000 && same < 100; ++i) {
    const std::thread::id next = ran_on();
    same = next == last ? same + 1 : 0;
    last = next;
  }
  EXPECT_EQ(same, 100);
}

TEST(WorkerPool, JobsFromManyThreadsAllRun) {
  std::atomic<int> ran = 0;
  {
    WorkerPool pool({.workers = 3, .capacity = 100'000});
    std::vector<std::jthread> callers;
    for (int c = 0; c < 4; ++c) {
      callers.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) EXPECT_TRUE(pool.submit({[&] { ++ran; }, [](Error) {}, 1}));
      });
    }
    callers.clear();
  }
  EXPECT_EQ(ran, 4000);
}

}  // namespace
}  // namespace rex::runtime
