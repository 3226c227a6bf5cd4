#include "engine/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace rex::engine {
namespace {

MemoryPlan plan_of(std::vector<PlannedBuffer> buffers, int steps) {
  MemoryPlan plan;
  plan.steps.assign(static_cast<size_t>(steps), "step");
  plan.buffers = std::move(buffers);
  return plan;
}

TEST(MemoryPlan, BuffersThatNeverMeetShareAPlace) {
  MemoryPlan plan = plan_of({{"a", 1000, 0, 1}, {"b", 1000, 2, 3}}, 4);
  place_buffers(plan);
  EXPECT_EQ(plan.buffers[0].offset, plan.buffers[1].offset);
  EXPECT_EQ(plan.arena_bytes, 1024);
  EXPECT_EQ(check_plan(plan), "");
}

TEST(MemoryPlan, BuffersThatMeetLieApart) {
  MemoryPlan plan = plan_of({{"a", 1000, 0, 2}, {"b", 500, 2, 3}}, 4);
  place_buffers(plan);
  EXPECT_EQ(check_plan(plan), "");
  EXPECT_EQ(plan.arena_bytes, 1024 + 512);
}

TEST(MemoryPlan, CheckerNamesAnOverlap) {
  MemoryPlan plan = plan_of({{"a", 1000, 0, 2}, {"b", 500, 2, 3}}, 4);
  plan.arena_bytes = 4096;
  EXPECT_EQ(check_plan(plan), "a overlaps b");
  plan.buffers[1].offset = 1000;
  EXPECT_EQ(check_plan(plan), "b: not aligned");
  plan.buffers[1].offset = 4096;
  EXPECT_EQ(check_plan(plan), "b: outside the arena");
}

// Property: any set of buffers gets a valid plan, never smaller than the heaviest step and never
// larger than all buffers side by side.
TEST(MemoryPlan, RandomPlansAreValidAndBounded) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const int steps = 1 + static_cast<int>(random() % 12);
    std::vector<PlannedBuffer> buffers;
    for (int i = 0; i < 12; ++i) {
      const auto first = static_cast<int32_t>(random() % steps);
      const auto last = first + static_cast<int32_t>(random() % (steps - first));
      buffers.push_back(
          {"b" + std::to_string(i), static_cast<int64_t>(1 + random() % 5000), first, last});
    }
    MemoryPlan plan = plan_of(buffers, steps);
    place_buffers(plan);
    EXPECT_EQ(check_plan(plan), "");
    int64_t all = 0, heaviest = 0;
    for (const auto& b : plan.buffers) all += (b.bytes + 255) / 256 * 256;
    for (int step = 0; step < steps; ++step) {
      int64_t live = 0;
      for (const auto& b : plan.buffers) {
        if (b.first_step <= step && step <= b.last_step) live += b.bytes;
      }
      heaviest = std::max(heaviest, live);
    }
    EXPECT_GE(plan.arena_bytes, heaviest);
    EXPECT_LE(plan.arena_bytes, all);
  }
}

}  // namespace
}  // namespace rex::engine
