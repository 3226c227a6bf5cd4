// The CPU engine: the model in f32 on oneDNN products and vectorised attention, packed batches,
// one planned arena, a fixed team of threads.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace rex::engine {

struct CpuOptions {
  int32_t threads = 0;  // 0: all cores that this process may use
  BatchLimits limits;   // both figures given; make_engine() knows the usual ones
};

// Packs the weights and plans the memory; takes about a second for the base model. The weights
// stay mapped for their embedding table.
// Errors: OPTION_RANGE (threads outside 0…256, tokens below kMaxPassTokens or above 1,048,576,
// passes outside 1…65,536), MEMORY_EXHAUSTED.
Result<std::unique_ptr<Engine>> make_cpu_engine(std::shared_ptr<const model::Weights> weights,
                                                const CpuOptions& options);

// The plan alone, without packing anything (`--print-memory-plan` before start).
MemoryPlan plan_cpu_arena(const model::ModelConfig& config, BatchLimits limits);

}  // namespace rex::engine
