// What a pass must cost: the floor to write beside every measured time.
#pragma once

#include <cstdint>

#include "model/config.h"

namespace rex::engine {

// Floating-point operations (multiply-add = 2) that a pass of `tokens` tokens cannot do without:
// linear layers, attention scores and context, the position terms for the slots that occur, the
// convolution, the head and the upper triangle of its scores.
double pass_flops(const model::ModelConfig& config, int32_t tokens);

// Bytes that every step must read once: all weights but the embedding table, at `bytes_per_value`.
double weight_stream_bytes(const model::ModelConfig& config, int32_t bytes_per_value);

}  // namespace rex::engine
