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

}  // namespace
}  // namespace rex::runtime
