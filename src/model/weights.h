// The named tensors of a model, checked against its configuration (M26), as views into the mapped
// checkpoint: nothing is converted or copied until an engine asks.
// Immutable after load(); safe to share between threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "model/config.h"

namespace rex::model {

enum class DType : uint8_t { kF32, kF16, kBF16 };
int32_t bytes_of(DType dtype);
std::string_view name_of(DType dtype);  // "f32", "f16", "bf16"

// A dense row-major tensor. Borrows its bytes (little-endian, any alignment).
struct TensorView {
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;

  [[nodiscard]] int64_t count() const;  // product of the shape
};

// Converts all values of `tensor` to float, row-major. Requires out.size() == tensor.count().
void copy_as_float(const TensorView& tensor, std::span<float> out);
std::vector<float> as_floats(const TensorView& tensor);

struct LayerWeights {  // specification table "Weights"; W is [out, in]
  TensorView query_weight, query_bias;      // [C, C], [C]
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
  TensorView word_embeddings;                       // [vocab_rows, C]
  TensorView embedding_norm_weight, embedding_norm_bias;
  std::vector<LayerWeights> layers;
  TensorView relative_embeddings;                   // [slots, C]
  TensorView relative_norm_weight, relative_norm_bias;
  TensorView conv_weight, conv_bias;                // [C, C, 3] (out, in, tap), [C]
  TensorView conv_norm_weight, conv_norm_bias;
  TensorView query_head_weight, query_head_bias;    // ffnq
  TensorView key_head_weight, key_head_bias;        // ffnk
  TensorView rotary_frequencies;                    // [C / 2]

  std::vector<std::string> ignored;  // names in the file that the model does not use
  std::shared_ptr<const void> owner; // keeps the mapped files alive
};

// Reads config.json and the checkpoint of a folder: model.safetensors, a sharded
// model.safetensors.index.json, or pytorch_model.bin, in this order of preference.
// Strict: every tensor present with the right shape; all misfits are reported in one error
// (CHECKPOINT_MISMATCH). Known harmless extras (…position_ids) land in `ignored`; other extras
// are misfits. Errors of the readers: CHECKPOINT_INVALID, CHECKPOINT_UNSAFE, FILE_….
Result<std::shared_ptr<const Weights>> load_weights(const std::filesystem::path& model_dir);

// Names and shapes that a model of this configuration must have, in file order (M26; 207 for the
// base model).
struct ExpectedTensor {
  std::string name;
  std::vector<int64_t> shape;
};
std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config);

// A model of random weights (normal, deviation 0.02; norms near one; deterministic from `seed`),
// for benchmarks and tests of shape and speed, in memory as f32.
std::shared_ptr<const Weights> random_weights(const ModelConfig& config, uint64_t seed);

}  // namespace rex::model
