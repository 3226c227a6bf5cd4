#include "engine/cpu/thread_team.h"

#include <gtest/gtest.h>

#include <numeric>

namespace rex::engine {
namespace {

TEST(ThreadTeam, EveryTaskRunsOnceInEveryPhase) {
  for (const int32_t threads : {1, 2, 5}) {
    ThreadTeam team(threads);
    std::vector<int> runs(1000, 0);
    std::vector<int> sums(7, 0);
    team.run([&](Worker& worker) {
      for (int phase = 0; phase < 7; ++phase) {
        worker.for_each(1000, [&](int32_t i) { ++runs[static_cast<size_t>(i)]; });
        // Visible to all after the phase: the sum of what every worker wrote.
        worker.for_each(1, [&](int32_t) {
          sums[static_cast<size_t>(phase)] = std::accumulate(runs.begin(), runs.end(), 0);
        });
      }
    });
    for (const int count : runs) EXPECT_EQ(count, 7);
    for (int phase = 0; phase < 7; ++phase)
      EXPECT_EQ(sums[static_cast<size_t>(phase)], 1000 * (phase + 1));
  }
}

TEST(ThreadTeam, RunsManyProgramsOneAfterAnother) {
  ThreadTeam team(3);
  std::atomic<int> total = 0;
  for (int round = 0; round < 500; ++round) {
    team.run([&](Worker& worker) { worker.for_each(3, [&](int32_t) { ++total; }); });
  }
  EXPECT_EQ(total, 1500);
}

TEST(ThreadTeam, AnEmptyPhaseIsAllowed) {
  ThreadTeam team(2);
  team.run([](Worker& worker) { worker.for_each(0, [](int32_t) { FAIL(); }); });
}

}  // namespace
}  // namespace rex::engine
