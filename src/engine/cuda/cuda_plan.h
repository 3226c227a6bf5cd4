// The CUDA engine's arena: two regions, the residual stream and a scratch region whose tenants
// never meet (engine design, section 6): 7,680 bytes a token for the base model in 16 bits.
#pragma once

#include "engine/plan.h"
#include "model/config.h"

namespace rex::engine::cuda {

// Positions in MemoryPlan::buffers; T is the number of computed rows.
enum CudaBuffer : int32_t {
  kHidden,      // [T, C] residual stream, in place through all layers
  kQkv,         // [T, 3C] queries (then contexts), keys, values
  kFfn,         // [T, F]
  kConv,        // [T, C] embeddings again, then the convolution, at the end of layer 0
  kNeighbours,  // [T, 3C]
  kHeads,       // [T, 2C] FP32, then rotated in place in the element type
};

// The plan for `rows` computed rows and `value_bytes` (2 or 4) a value. Pure.
MemoryPlan plan_cuda_arena(const model::ModelConfig& config, int32_t rows, size_t value_bytes);

}  // namespace rex::engine::cuda
