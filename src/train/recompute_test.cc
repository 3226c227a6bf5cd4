#include "train/recompute.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <initializer_list>

namespace rex::train {
namespace {

struct Measured {
  int64_t rows, length, recomputed;
  double megabytes;
};

model::ModelConfig small_config() {
  model::ModelConfig config = model::base_config();
  config.layers = 8;
  config.hidden = 384;
  config.heads = 6;
  config.intermediate = 1536;
  return config;
}

void expect_near(const model::ModelConfig& config, std::initializer_list<Measured> figures) {
  for (const Measured& one : figures) {
    const StepMemory memory = step_memory(config, {.bytes = 2, .fused = true, .dropout = true},
                                          {one.rows, one.length, 2 * one.length});
    const double predicted = static_cast<double>(memory.peak(config.layers, one.recomputed)) / 1e6;
    EXPECT_LT(std::abs(predicted / one.megabytes - 1.0), 0.05)
        << one.rows << "x" << one.length << ", " << one.recomputed << " recomputed: " << predicted
        << " against " << one.megabytes;
  }
}

// Peaks of LibTorch's allocator on an H200 in bf16 (docs/training.md); 10 % was asked for.
TEST(Recompute, ThePlanIsTheMeasuredPeakAtBaseSize) {
  expect_near(model::base_config(), {{16, 128, 0, 2896.6},
                                     {16, 128, 6, 2525.9},
                                     {16, 128, 12, 2431.1},
                                     {16, 512, 0, 6353.1},
                                     {16, 512, 6, 4446.8},
                                     {16, 512, 12, 2780.3},
                                     {128, 128, 0, 8733.8},
                                     {128, 128, 6, 5851.5},
                                     {128, 128, 12, 3290.2},
                                     {512, 128, 0, 28776.5},
                                     {512, 128, 6, 17268.6},
                                     {512, 128, 12, 6763.0}});
}

TEST(Recompute, ThePlanIsTheMeasuredPeakOfASmallModel) {
  const model::ModelConfig config = small_config();
  expect_near(config, {{16, 128, 0, 774.9},
                       {16, 128, 4, 650.7},
                       {16, 128, 8, 553.3},
                       {16, 512, 0, 2056.8},
                       {16, 512, 4, 1421.3},
                       {16, 512, 8, 865.1},
                       {128, 128, 0, 2820.2},
                       {128, 128, 4, 1859.0},
                       {128, 128, 8, 1057.6},
                       {512, 128, 0, 9854.3},
                       {512, 128, 4, 6014.7},
                       {512, 128, 8, 2747.0}});
}

TEST(Recompute, AsFewLayersAsTheBudgetAllows) {
  const model::ModelConfig config = model::base_config();
  const StepMemory memory =
      step_memory(config, {.bytes = 2, .fused = true, .dropout = true}, {512, 128, 256});
  const auto count = [&](double megabytes) {
    return std::popcount(layers_to_recompute(RecomputePolicy::kMemory, "", config, memory,
                                             static_cast<int64_t>(megabytes * 1e6)));
  };
  EXPECT_EQ(count(40000), 0);
  EXPECT_EQ(count(18000), 6);
  EXPECT_EQ(count(100), 12) << "all when none is enough";
}

TEST(Recompute, ThePublishedListsOfATask) {
  const model::ModelConfig config = model::base_config();
  EXPECT_EQ(layers_to_recompute(RecomputePolicy::kTask, "ner", config, {}, 0),
            (1U << 2) | (1U << 5) | (1U << 9));
  EXPECT_EQ(layers_to_recompute(RecomputePolicy::kTask, "matching", config, {}, 0), 0U);
  EXPECT_FALSE(parse_recompute("sometimes"));
}

}  // namespace
}  // namespace rex::train
