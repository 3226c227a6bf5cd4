#include "engine/tables.h"

#include <algorithm>
#include <cmath>

namespace rex::engine {
namespace {

// The bucket of distance r for a positive maximum m (M4), in single precision as the reference.
int32_t log_bucket(int32_t r, int32_t half, int32_t m) {
  const int32_t magnitude = std::abs(r);
  if (magnitude <= half) return r;
  const float ratio = std::log(static_cast<float>(magnitude) / static_cast<float>(half)) /
                      std::log(static_cast<float>(m - 1) / static_cast<float>(half));
  const auto bucket = static_cast<int32_t>(std::ceil(ratio * static_cast<float>(half - 1))) + half;
  return r < 0 ? -bucket : bucket;
}

}  // namespace

SlotTable make_slot_table(const model::ModelConfig& config) {
  SlotTable table{};
  const int32_t span = config.position_buckets;
  for (int32_t d = 1 - kMaxPassTokens; d < kMaxPassTokens; ++d) {
    const int32_t bucket = config.max_relative_positions > 0
                               ? log_bucket(d, span / 2, config.max_relative_positions)
                               : d;
    table[static_cast<size_t>(d + kMaxPassTokens - 1)] =
        std::clamp(bucket + span, 0, config.slots() - 1);
  }
  return table;
}

RotaryTable make_rotary_table(std::span<const float> frequencies) {
  RotaryTable table;
  const size_t half = frequencies.size();
  table.cosine.resize(kMaxPassTokens * half);
  table.sine.resize(kMaxPassTokens * half);
  for (size_t position = 0; position < kMaxPassTokens; ++position) {
    for (size_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) * static_cast<double>(frequencies[i]);
      table.cosine[position * half + i] = static_cast<float>(std::cos(angle));
      table.sine[position * half + i] = static_cast<float>(std::sin(angle));
    }
  }
  return table;
}

}  // namespace rex::engine
