// A checkpoint turned into what the CPU engine uses in place: packed products, norms as floats, and
// the tables that depend on the weights alone (M5, M7). The result is the same whether it stays in
// memory or goes through a file (`rexuninlu convert`), and for every instruction set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/cpu/linear.h"
#include "engine/cpu/thread_team.h"
#include "model/packed_model.h"
#include "model/weights.h"

namespace rex::engine {

inline constexpr const char* kCpuFormat = "cpu-1";  // changes with every change of layout

// The products of a model, each with its epilogue and how it is stored in a precision.
struct CpuProduct {
  std::string name;  // of its sections: NAME.weight, NAME.bias, int8 also NAME.scale, NAME.sum
  LinearShape shape;
  Epilogue epilogue = Epilogue::kBias;
};

struct CpuLayerProducts {
  CpuProduct qkv;            // [T, C] → [T, 3C]; queries carry the softmax scale (M9)
  CpuProduct attention_out;  // [T, C] contexts → added to [T, C]
  CpuProduct ffn_in, ffn_out;
};

CpuLayerProducts layer_products(const model::ModelConfig& config, WeightType precision,
                                int32_t layer);
CpuProduct conv_product(const model::ModelConfig& config, WeightType precision);
CpuProduct head_product(const model::ModelConfig& config, WeightType precision);

// Of one layer's PK or PQ, all heads.
size_t position_table_bytes(const model::ModelConfig& config, WeightType precision);

// Takes about a second for the base model; reads `weights` once.
// Errors: CHECKPOINT_INVALID naming a product whose weights are not finite (or too large for f16).
Result<std::shared_ptr<const model::PackedModel>> pack_weights(const model::Weights& weights,
                                                               WeightType precision,
                                                               ThreadTeam& team);

}  // namespace rex::engine
