// The shape of a RexUniNLU encoder, read from a model folder's config.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/result.h"

namespace rex::model {

// Only what varies between supported models; everything else is checked against the one supported
// value and refused by name otherwise (specification "Base configuration", M1–M25).
struct ModelConfig {
  int32_t layers = 0;         // num_hidden_layers
  int32_t hidden = 0;         // hidden_size, C
  int32_t heads = 0;          // num_attention_heads, H
  int32_t intermediate = 0;   // intermediate_size, F
  int32_t vocab_rows = 0;     // vocab_size + 4 (T3)
  int32_t position_buckets = 256;
  int32_t max_relative_positions = -1;  // -1: plain clamped distances (M4)
  int32_t conv_kernel = 3;              // 3, or 0 for none
  float layer_norm_eps = 1e-7F;

  [[nodiscard]] int32_t head_width() const { return hidden / heads; }       // D
  [[nodiscard]] int32_t slots() const { return 2 * position_buckets; }      // rows of R (M5)
  bool operator==(const ModelConfig&) const = default;
};

// Errors: FILE_NOT_FOUND, CONFIG_INVALID (not JSON, wrong type), CONFIG_UNSUPPORTED (a value that
// this program does not compute; names key, value and what is accepted).
Result<ModelConfig> load_config(const std::filesystem::path& model_dir);
Result<ModelConfig> parse_config(std::string_view json_text);

// The released Chinese base model: 12 layers, 768 hidden, 12 heads, 3072, 12804 rows.
ModelConfig base_config();

}  // namespace rex::model
