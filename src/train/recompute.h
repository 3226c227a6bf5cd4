// How many layers to compute twice so that a training step fits into memory: the memory of a step
// counted from the shapes of its batch (what each layer keeps for its backward pass), and the
// smallest number of recomputed layers that stays below a budget. Pure arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "model/config.h"

namespace rex::train {

enum class RecomputePolicy : uint8_t { kOff, kTask, kMemory };
// "off", "task", "memory". Errors: OPTION_RANGE.
Result<RecomputePolicy> parse_recompute(const std::string& name);

struct StepShape {
  int64_t rows = 0;    // B
  int64_t length = 0;  // N, padded
  int64_t slots = 0;   // rows of the position table in use
};

struct StepPrecision {
  int64_t bytes = 4;   // of an activation: 4, or 2 in bf16
  bool fused = false;  // attention keeps its bias and its sums, not its probabilities
  bool dropout = true;
};

// Bytes by cause. What lives longest is `constant`; the rest comes and goes, and the peak is the
// greatest of four moments: the optimizer's step; the head's backward pass with everything kept;
// the backward pass of the last layer that keeps its parts, the head's being gone; that of the last
// recomputed layer. On a GPU it holds within 4 % of what was measured (docs/training.md).
struct StepMemory {
  int64_t constant = 0;     // weights, gradients, moments, the product library's workspace
  int64_t optimizer = 0;    // passing need of the optimizer
  int64_t batch = 0;        // indexes and masks
  int64_t layer = 0;        // kept for backward by one layer
  int64_t layer_input = 0;  // kept by a recomputed layer instead
  int64_t head = 0;         // kept by embedding, convolution, scores and loss
  int64_t passing = 0;      // lives only while one layer runs backward

  [[nodiscard]] int64_t peak(int64_t layers, int64_t recomputed) const {
    const int64_t kept = (layers - recomputed) * layer + recomputed * layer_input;
    int64_t moving = kept + std::max(head, passing);
    if (recomputed > 0) moving = std::max(moving, recomputed * layer_input + layer + passing);
    return constant + std::max(optimizer, batch + moving);
  }
};
StepMemory step_memory(const model::ModelConfig& config, const StepPrecision& precision,
                       const StepShape& shape);

// Bit l: layer l is recomputed. kMemory: the smallest number whose peak stays within `budget`
// bytes; all layers when none does. kTask: the published lists of `task` (ner, event_extraction,
// sentiment), of other tasks none.
uint64_t layers_to_recompute(RecomputePolicy policy, const std::string& task,
                             const model::ModelConfig& config, const StepMemory& memory,
                             int64_t budget);

}  // namespace rex::train
