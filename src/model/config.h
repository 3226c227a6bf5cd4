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
  int32_t layers = 0;        // num_hidden_layers
  int32_t hidden = 0;        // hidden_size, C
  int32_t heads = 0;         // num_attention_heads, H
  int32_t intermediate = 0;  // intermediate_size, F
  int32_t vocab_rows = 0;    // vocab_size + 4 (T3)
  int32_t position_buckets = 256;
  int32_t max_relative_positions = -1;  // -1: plain clamped distances (M4)
  int32_t conv_kernel = 3;              // 3, or 0 for none
  float layer_norm_eps = 1e-7F;

  [[nodiscard]] int32_t head_width() const { return hidden / heads; }   // D
  [[nodiscard]] int32_t slots() const { return 2 * position_buckets; }  // rows of R (M5)
  bool operator==(const ModelConfig&) const = default;
};

// The largest sizes accepted: well above every released model, low enough that no product of them
// overflows. A loaded configuration has 1…these, hidden even and a multiple of heads.
inline constexpr int32_t kMaxLayers = 64;
inline constexpr int32_t kMaxHidden = 4096;
inline constexpr int32_t kMaxHeads = 64;
inline constexpr int32_t kMaxIntermediate = 16384;
inline constexpr int32_t kMaxVocabulary = 1'000'000;
inline constexpr int32_t kMaxPositionBuckets = 1024;

// Errors: FILE_NOT_FOUND, FILE_UNREADABLE, CONFIG_INVALID (not JSON, wrong type, a size missing),
// CONFIG_UNSUPPORTED (a value that this program does not compute; names key, value and what is
// accepted). An absent key has the value that the reference's library gives it: where that is one
// that is not computed (relative_attention false, …), absence is refused too. Keys that do not
// change the answer (dropout, initialisation, names) are not looked at.
Result<ModelConfig> load_config(const std::filesystem::path& model_dir);
Result<ModelConfig> parse_config(std::string_view json_text);

// The text of a config.json that parse_config reads back as `config`.
std::string config_json(const ModelConfig& config);

// The released Chinese base model: 12 layers, 768 hidden, 12 heads, 3072, 12804 rows.
ModelConfig base_config();

}  // namespace rex::model
