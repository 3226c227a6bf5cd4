// The CPU engine: packed products (panel.h) and vectorised attention, packed batches, one planned
// arena, a fixed team of threads.
#pragma once

#include <memory>

#include "engine/cpu/panel.h"
#include "engine/engine.h"
#include "model/packed_model.h"

namespace rex::engine {

struct CpuOptions {
  int32_t threads = 0;  // 0: all cores that this process may use
  BatchLimits limits;   // both figures given; make_engine() knows the usual ones
  WeightType precision = WeightType::kF32;  // a packed model has its own
};

// Packs the weights, lets go of the originals and plans the memory; about a second for the base
// model.
// Errors: OPTION_RANGE (threads outside 0…256, tokens below kMaxPassTokens or above 1,048,576,
// passes outside 1…65,536), CHECKPOINT_INVALID (a weight that is no number), MEMORY_EXHAUSTED.
Result<std::unique_ptr<Engine>> make_cpu_engine(std::shared_ptr<const model::Weights> weights,
                                                const CpuOptions& options);

// The same from a packed model, whose bytes are used where they lie.
// Errors: as above, and CHECKPOINT_MISMATCH for another engine's file.
Result<std::unique_ptr<Engine>> make_cpu_engine(std::shared_ptr<const model::PackedModel> packed,
                                                const CpuOptions& options);

}  // namespace rex::engine
