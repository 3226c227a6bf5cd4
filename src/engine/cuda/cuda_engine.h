// The CUDA engine: FP16 (or BF16, FP32) on one GPU, packed batches, one planned arena, no device
// allocation after the start.
//
// Its links depend on the neighbours in a batch within rounding only: cuBLASLt picks its summation
// order by row count. docs/compatibility.md has the measured size of that.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace rex::engine {

enum class CudaPrecision : uint8_t { kF16, kBF16, kF32 };

struct CudaOptions {
  int32_t device = 0;
  CudaPrecision precision = CudaPrecision::kF16;
  BatchLimits limits{.tokens = 8192, .passes = 1024};
  bool graphs = true;  // replay captured launches for small batches
  bool tune = true;    // measure cuBLASLt's candidates at start for the usual row counts
  // false: every buffer is allocated at each step and freed after it, without captured graphs; it
  // exists to show what the pool is worth.
  bool memory_pool = true;
  bool skip_tiles = true;  // of labels that cannot see each other; false shows what that is worth
  // Choices of products are read from here and added here, by GPU, driver and library version;
  // empty: measured at every start.
  std::string tuning_file;
};

// Errors: OPTION_RANGE, CONFIG_UNSUPPORTED (a width that has no kernel), MEMORY_EXHAUSTED (says
// what is needed and what is free), INTERNAL for a device in a bad state.
Result<std::unique_ptr<Engine>> make_cuda_engine(std::shared_ptr<const model::Weights> weights,
                                                 const CudaOptions& options);

}  // namespace rex::engine
