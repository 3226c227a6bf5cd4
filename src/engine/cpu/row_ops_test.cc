#include "engine/cpu/row_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace rex::engine {
namespace {

std::vector<float> random_row(size_t count, uint32_t seed, float mean) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(mean, 1.0F);
  std::vector<float> values(count);
  for (float& v : values) v = normal(random);
  return values;
}

// Widths with and without a rest behind the last whole vector; a mean far from zero.
TEST(LayerNorm, UsesTheBiasedVarianceInEveryWidth) {
  for (const size_t width : {2U, 15U, 64U, 384U, 770U}) {
    std::vector<float> row = random_row(width, 1, 30.0F);
    const std::vector<float> before = row;
    const std::vector<float> weight = random_row(width, 2, 1.0F), bias = random_row(width, 3, 0.0F);
    layer_norm({weight.data(), bias.data(), 1e-7F}, row);
    double mean = 0.0, variance = 0.0;
    for (const float v : before) mean += v / static_cast<double>(width);
    for (const float v : before) variance += (v - mean) * (v - mean) / static_cast<double>(width);
    for (size_t i = 0; i < width; ++i) {
      const double unit = (before[i] - mean) / std::sqrt(variance + 1e-7);
      EXPECT_NEAR(row[i], unit * weight[i] + bias[i], 2e-5) << width << " at " << i;
    }
  }
}

TEST(LayerNorm, ConstantRowGivesTheBias) {
  std::vector<float> row(64, 5.0F);
  const std::vector<float> weight(64, 2.0F), bias(64, 0.25F);
  layer_norm({weight.data(), bias.data(), 1e-7F}, row);
  for (const float v : row) EXPECT_EQ(v, 0.25F);
}

TEST(LayerNorm, M16_AddsBeforeNormalising) {
  std::vector<float> row = random_row(100, 4, 0.0F);
  const std::vector<float> other = random_row(100, 5, 0.0F), weight(100, 1.0F), bias(100, 0.0F);
  std::vector<float> sum = row;
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
  layer_norm({weight.data(), bias.data(), 1e-7F}, sum);
  add_layer_norm({weight.data(), bias.data(), 1e-7F}, row, other);
  EXPECT_EQ(row, sum);
}

TEST(RotateRow, M22_TurnsAdjacentPairs) {
  std::vector<float> row = {1.0F, 2.0F, 3.0F, 4.0F};
  rotate_row(std::vector<float>{0.0F, 1.0F}, std::vector<float>{1.0F, 0.0F}, row);
  EXPECT_EQ(row, (std::vector<float>{-2.0F, 1.0F, 3.0F, 4.0F}));
}

}  // namespace
}  // namespace rex::engine
