// Constant tables of a model: distances to slots of the relative table, and rotation angles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "model/config.h"

namespace rex::engine {

// slot[d + kMaxPassTokens - 1] for every distance d = pos[q] - pos[k] of two position ids (M3).
// Plain distances clamped to the table when max_relative_positions is -1; logarithmic buckets
// beyond half the table when it is positive (M4, M8). Both position terms use this slot (M9).
using SlotTable = std::array<int32_t, 2 * kMaxPassTokens - 1>;
SlotTable make_slot_table(const model::ModelConfig& config);

// cos and sin of position · frequency for positions 0…kMaxPassTokens-1 (M22), [position, C / 2],
// computed in double and rounded once: in lower precision the head loses a digit.
struct RotaryTable {
  std::vector<float> cosine;
  std::vector<float> sine;
};
RotaryTable make_rotary_table(std::span<const float> frequencies);

}  // namespace rex::engine
