// The named tensors of a model, checked against its configuration (M26), as views into the mapped
// checkpoint: nothing is converted or copied until an engine asks.
// Immutable after load(); safe to share between threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "model/config.h"
#include "model/tensor.h"

namespace rex::model {

struct LayerWeights {                   // specification table "Weights"; W is [out, in]
  TensorView query_weight, query_bias;  // [C, C], [C]
  TensorView key_weight, key_bias;
  TensorView value_weight, value_bias;
  TensorView attention_out_weight, attention_out_bias;
  TensorView attention_norm_weight, attention_norm_bias;  // [C]
  TensorView ffn_in_weight, ffn_in_bias;                  // [F, C], [F]
  TensorView ffn_out_weight, ffn_out_bias;                // [C, F], [C]
  TensorView output_norm_weight, output_norm_bias;        // [C]
};

struct Weights {
  ModelConfig config;
  TensorView word_embeddings;  // [vocab_rows, C]
  TensorView embedding_norm_weight, embedding_norm_bias;
  std::vector<LayerWeights> layers;
  TensorView relative_embeddings;  // [slots, C]
  TensorView relative_norm_weight, relative_norm_bias;
  TensorView conv_weight, conv_bias;  // [C, C, 3] (out, in, tap), [C]
  TensorView conv_norm_weight, conv_norm_bias;
  TensorView query_head_weight, query_head_bias;  // ffnq
  TensorView key_head_weight, key_head_bias;      // ffnk
  TensorView rotary_frequencies;                  // [C / 2]

  std::vector<std::string> ignored;   // names in the file that the model does not use
  std::shared_ptr<const void> owner;  // keeps the mapped files alive
};

// Reads config.json and the checkpoint of a folder: model.safetensors, a sharded
// model.safetensors.index.json, or pytorch_model.bin, in this order of preference.
// Strict: every tensor present with the right shape; all misfits are reported in one error
// (CHECKPOINT_MISMATCH), the first ten of each sort by name. Known harmless extras (…position_ids)
// land in `ignored`; other extras are misfits. Errors of the readers: CHECKPOINT_INVALID,
// CHECKPOINT_UNSAFE, FILE_…. Values are not looked at: a weight that is not finite is the engine's
// to find when it packs, since here it would cost a pass over the whole file.
Result<std::shared_ptr<const Weights>> load_weights(const std::filesystem::path& model_dir);

// Calls visit(name, shape, view) for every tensor of weights.config, in file order: the one list of
// names (specification table "Weights"). Makes weights.layers as long as the configuration says.
using TensorVisitor =
    std::function<void(const std::string& name, std::vector<int64_t> shape, TensorView& view)>;
void visit_tensors(Weights& weights, const TensorVisitor& visit);

// Names and shapes that a model of this configuration must have, in file order (M26; 207 for the
// base model).
struct ExpectedTensor {
  std::string name;
  std::vector<int64_t> shape;
};
std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config);

// A model of random weights in memory as f32, for benchmarks and tests of shape and speed: about
// normal with deviation 0.02 (norm weights: around one), rotary frequencies by M22. The same
// values from one seed on every machine. The base size takes about half a second.
std::shared_ptr<const Weights> random_weights(const ModelConfig& config, uint64_t seed);

}  // namespace rex::model
