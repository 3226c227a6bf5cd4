// The CPU engine's steps and the buffers that live between them.
#pragma once

#include "engine/engine.h"
#include "engine/plan.h"
#include "model/config.h"

namespace rex::engine {

// Positions in MemoryPlan::steps. Layer 0 is apart, since the convolution's result waits for its
// end (M16); all other layers reuse the same buffers.
enum CpuStep : int32_t {
  kStepEmbed,
  kStepConvInput,
  kStepConv,
  kStepLayer0Qkv,
  kStepLayer0Attention,
  kStepLayer0Out,
  kStepLayer0Ffn,
  kStepLayer0Norm,
  kStepLayersQkv,
  kStepLayersAttention,
  kStepLayersOut,
  kStepLayersFfn,
  kStepHead,
  kStepRotate,
  kStepScores,
  kCpuSteps,
};

// Positions in MemoryPlan::buffers; shapes for T planned tokens rounded up to whole row steps.
enum CpuBuffer : int32_t {
  kHidden,      // [T, C] the residual stream, in place through all layers
  kNeighbours,  // [T, 3C] each token's embedding beside its two neighbours'
  kConv,        // [T, C] GELU of the convolution
  kQkv0,        // [T, 3C] queries, keys, values of layer 0
  kContext0,    // [T, C] attention's result
  kFfn0,        // [T, F]
  kQkv,         // the same for the other layers
  kContext,
  kFfn,
  kHeads,       // [T, 2C] head queries and keys
  kKeyColumns,  // [C, n] for each pass, rotated keys transposed
  kScores,      // [T, 528] Z, a row a token
  kCpuBuffers,
};

}  // namespace rex::engine
