// A packed model (pack_weights.h) as the CPU engine reads it: products, norms and tables as views
// into the packed bytes, in memory or in the mapped file.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/cpu/attention.h"
#include "engine/cpu/linear.h"
#include "engine/cpu/row_ops.h"
#include "engine/tables.h"
#include "model/packed_model.h"
#include "model/tensor.h"

namespace rex::engine {

struct CpuLayer {
  Linear qkv, attention_out, ffn_in, ffn_out;
  NormView attention_norm, output_norm;
  const std::byte* position_key = nullptr;  // PK of all heads (M7), see AttentionHead
  const std::byte* position_query = nullptr;
};

class CpuWeights {
 public:
  // Errors: CHECKPOINT_MISMATCH for another engine's format, an unknown precision, or a section
  // that is missing or of another size.
  static Result<std::unique_ptr<CpuWeights>> open(std::shared_ptr<const model::PackedModel> packed);
  CpuWeights(const CpuWeights&) = delete;
  CpuWeights& operator=(const CpuWeights&) = delete;

  // LayerNorm'ed embedding of a token (M1). `row` has C floats.
  void embed(int32_t id, std::span<float> row) const;

  [[nodiscard]] const model::ModelConfig& config() const { return packed_->config; }
  [[nodiscard]] WeightType precision() const { return precision_; }
  [[nodiscard]] int64_t bytes() const;

  AttentionShape attention;
  ptrdiff_t position_head_bytes = 0;  // of one head's PK or PQ
  std::vector<CpuLayer> layers;
  std::optional<Linear> conv;  // [T, 3C] (three neighbours side by side) → [T, C]
  NormView conv_norm;
  Linear head;  // [T, C] → [T, 2C]: queries, then keys (M21)
  RotaryTable rotary;

 private:
  CpuWeights(std::shared_ptr<const model::PackedModel> packed, WeightType precision)
      : packed_(std::move(packed)), precision_(precision) {}
  Result<void> bind();
  Result<void> bind_embeddings();
  Result<void> bind_layer(int32_t index);

  std::shared_ptr<const model::PackedModel> packed_;
  WeightType precision_;
  model::DType embedding_type_ = model::DType::kF32;
  std::span<const std::byte> embeddings_;
  NormView embedding_norm_;
  SlotTable slots_{};
  PanelKernel half_kernel_;
};

}  // namespace rex::engine
