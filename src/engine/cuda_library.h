// The door to librex_cuda.so: opened once, on the first call, and never closed.
#pragma once

#include <memory>

#include "engine/cuda/cuda_engine.h"

namespace rex::engine {

// The library is sought beside the program, in ../lib, and where the system looks; or at
// $REXUNINLU_CUDA_LIBRARY. Thread-safe.
// Errors: OPTION_RANGE when it cannot be opened or belongs to another build, with the reason;
// otherwise those of make_cuda_engine().
Result<std::unique_ptr<Engine>> make_cuda_engine_from_library(
    std::shared_ptr<const model::Weights> weights, const CudaOptions& options);

}  // namespace rex::engine
