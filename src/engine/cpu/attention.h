// Disentangled attention of one head over one pass (M6–M10), from position ids and token words:
// nothing of size n×n leaves the caller's scratch, and no mask is stored.
#pragma once

#include <cstdint>
#include <span>

#include "engine/cpu/panel.h"
#include "engine/tables.h"

namespace rex::engine {

inline constexpr int32_t kMaxHeadWidth = 4096;  // model::kMaxHidden
inline constexpr int32_t kLanePad = 16;         // floats; row lengths are padded to it
constexpr int32_t padded(int32_t n) {
  return (n + kLanePad - 1) / kLanePad * kLanePad;
}

// What is the same for all passes.
struct AttentionShape {
  int32_t head_width = 0;   // D
  int32_t ld_qkv = 0;       // floats between tokens of q, k and v
  int32_t ld_context = 0;   // floats between tokens of the result
  int32_t slots = 0;        // S, rows of the relative table
  bool plain_slots = true;  // slot = clamp(distance + S/2): no table look-up needed (M4)
  const SlotTable* slot_table = nullptr;
  // Half precision: the kernel for f16 panels; nullptr: all products in f32.
  const PanelKernel* panels = nullptr;

  [[nodiscard]] int32_t ld_slots() const { return padded(slots) + kLanePad; }
};

// One head of one pass. The softmax scale is already part of the queries and of position_query.
struct AttentionHead {
  int32_t tokens = 0;               // n
  std::span<const uint32_t> words;  // [n], TokenWord
  const float* query = nullptr;     // [n, D]
  const float* key = nullptr;       // [n, D]
  const float* value = nullptr;     // [n, D]
  // PK and PQ of this head (M7). f32: transposed, [D, ld_slots]. Half precision: f16 panels of 32
  // slots over D rounded up to kDepthStep.
  const void* position_key = nullptr;
  const void* position_query = nullptr;
  float* context = nullptr;  // [n, D], ld_context floats between tokens
};

// Floats of scratch that attend() needs for passes of up to `tokens` tokens.
int64_t attention_scratch_floats(const AttentionShape& shape, int32_t tokens);

// context ← softmax(Q·Kᵀ + c2p + p2c, masked) · V. A row sees at least itself, so no row is empty.
void attend(const AttentionShape& shape, const AttentionHead& head, float* scratch);

}  // namespace rex::engine
