// The CPU engine's steps and the buffers that live between them.
#pragma once

#include "engine/cpu/panel.h"
#include "engine/engine.h"
#include "engine/plan.h"
#include "model/config.h"

namespace rex::engine {

// Positions in MemoryPlan::steps. Layer 0 is apart, since the convolution's result waits for its
// end (M16); all other layers reuse the same buffers.
enum CpuStep : int32_t {
  kStepEmbed,
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

// Positions in MemoryPlan::buffers; T planned tokens, B planned passes, E the rows that a block of
// the feed-forward layers takes.
enum CpuBuffer : int32_t {
  kHidden,     // [T, C] the residual stream, in place through all layers
  kEmbedded,   // [T + B + 1, C] embeddings with a row of zeros before, between and after passes
  kConvRows,   // [T + B, 3C] the same three by three, converted
  kConv,       // [T + B, C] GELU of the convolution; the rows between passes mean nothing
  kRows,       // [T, C] converted rows for the next product
  kRowScales,  // [T + B] scale and zero point of kRows, and again for the others
  kQkv0,       // [T, 3C] queries, keys, values of layer 0
  kContext0,   // [T, C] attention's result
  kFfn0,       // [E, F]
  kFfnRows0,   // [E, F] converted
  kQkv,        // the same for the other layers
  kContext,
  kFfn,
  kFfnRows,
  kHeads,       // [T, 2C] head queries and keys
  kKeyColumns,  // [C, n] for each pass, rotated keys transposed
  kScores,      // [T, 528] Z, a row a token
  kCpuBuffers,
};

// Bytes between converted rows, or 0 where the products take f32 rows.
struct ConvertedWidths {
  int64_t hidden = 0, conv = 0, ffn = 0;
};

// Rows of a feed-forward block: its hidden values stay near the cores that made them.
int32_t ffn_block_rows(int32_t tokens, int32_t threads);

MemoryPlan plan_cpu_arena(const model::ModelConfig& config, BatchLimits limits, int32_t threads,
                          const ConvertedWidths& converted);

}  // namespace rex::engine
