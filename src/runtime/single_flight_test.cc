#include "runtime/single_flight.h"

#include <gtest/gtest.h>

#include <future>
#include <semaphore>
#include <thread>

namespace rex::runtime {
namespace {

using namespace std::chrono_literals;
using Flights = SingleFlight<int>;
constexpr auto kNever = Flights::Deadline::max();

struct SlowWork {
  // The first caller computes until go() is called.
  std::future<Flights::Outcome> start(std::stop_token stop = {}) {
    auto first = std::async(std::launch::async, [this, stop] {
      return flights.run("key", stop, kNever, [this](const std::stop_token& token) -> Result<int> {
        ++computed;
        started.release();
        while (!go && !token.stop_requested()) std::this_thread::sleep_for(1ms);
        if (token.stop_requested()) return fail(ErrorCode::kCancelled, "stopped");
        return 7;
      });
    });
    started.acquire();
    return first;
  }
  std::future<Flights::Outcome> join(std::stop_token stop = {},
                                     Flights::Deadline deadline = Flights::Deadline::clock::now() +
                                                                  1h) {
    auto second = std::async(std::launch::async, [this, stop, deadline] {
      return flights.run("key", stop, deadline, [this](const std::stop_token&) -> Result<int> {
        ++computed;
        return 8;
      });
    });
    std::this_thread::sleep_for(20ms);
    return second;
  }
  Flights flights;
  std::atomic<int> computed = 0;
  std::atomic<bool> go = false;
  std::binary_semaphore started{0};
};

TEST(SingleFlight, EqualWorkInFlightIsDoneOnce) {
  SlowWork work;
  auto first = work.start(), second = work.join();
  work.go = true;
  EXPECT_EQ(*first.get().value, 7);
  const auto shared = second.get();
  EXPECT_EQ(*shared.value, 7);
  EXPECT_TRUE(shared.shared);
  EXPECT_EQ(work.computed, 1);
  EXPECT_EQ(*work.join().get().value, 8);  // nothing is kept
}

TEST(SingleFlight, WhenTheFirstCallerGoesTheOthersStillGetTheResult) {
  SlowWork work;
  std::stop_source source;
  auto first = work.start(source.get_token()), second = work.join();
  source.request_stop();
  std::this_thread::sleep_for(10ms);
  work.go = true;
  EXPECT_EQ(*second.get().value, 7);
  first.get();
}

TEST(SingleFlight, WhenAllCallersGoTheWorkIsStopped) {
  SlowWork work;
  std::stop_source a, b;
  auto first = work.start(a.get_token()), second = work.join(b.get_token());
  a.request_stop();
  b.request_stop();
  EXPECT_EQ(first.get().value.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(second.get().value.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(*work.join().get().value, 8);
}

TEST(SingleFlight, ACallerHasItsOwnDeadline) {
  SlowWork work;
  auto first = work.start();
  auto second = work.join({}, Flights::Deadline::clock::now() + 10ms);
  EXPECT_EQ(second.get().value.error().code, ErrorCode::kRequestTimeout);
  work.go = true;
  EXPECT_EQ(*first.get().value, 7);
}

}  // namespace
}  // namespace rex::runtime
