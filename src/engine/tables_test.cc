#include "engine/tables.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rex::engine {
namespace {

int32_t slot(const SlotTable& table, int32_t distance) {
  return table[static_cast<size_t>(distance + kMaxPassTokens - 1)];
}

TEST(SlotTable, M4_M8_PlainDistancesAreClampedAtTheEnds) {
  const SlotTable table = make_slot_table(model::base_config());
  for (int32_t d = -255; d <= 255; ++d) EXPECT_EQ(slot(table, d), d + 256);
  for (int32_t d = 256; d < 512; ++d) {
    EXPECT_EQ(slot(table, d), 511);
    EXPECT_EQ(slot(table, -d), 0);
  }
}

// M4 with a positive maximum: identity up to half the buckets, then logarithmic and odd.
TEST(SlotTable, M4_PositiveMaximumGivesLogBuckets) {
  model::ModelConfig config = model::base_config();
  config.max_relative_positions = 512;
  const SlotTable table = make_slot_table(config);
  for (int32_t d = -128; d <= 128; ++d) EXPECT_EQ(slot(table, d), d + 256);
  int32_t last = 128;
  for (int32_t d = 129; d < 512; ++d) {
    const double exact = std::log(d / 128.0) / std::log(511 / 128.0) * 127;
    EXPECT_NEAR(slot(table, d) - 256, std::ceil(exact) + 128, 1) << d;
    EXPECT_EQ(slot(table, -d), 512 - slot(table, d)) << d;
    EXPECT_GE(slot(table, d), last);
    last = slot(table, d);
  }
  EXPECT_EQ(slot(table, 511), 256 + 255);
}

TEST(RotaryTable, M22_AnglesArePositionTimesFrequency) {
  const std::vector<float> frequencies = {1.0F, 0.5F};
  const RotaryTable table = make_rotary_table(frequencies);
  EXPECT_EQ(table.cosine[0], 1.0F);
  EXPECT_EQ(table.sine[1], 0.0F);
  EXPECT_FLOAT_EQ(table.cosine[511 * 2], static_cast<float>(std::cos(511.0)));
  EXPECT_FLOAT_EQ(table.sine[511 * 2 + 1], static_cast<float>(std::sin(255.5)));
}

}  // namespace
}  // namespace rex::engine
