// A model's weights as the CPU engine wants them: products packed, norms as floats, and every
// table that depends on the weights alone computed once (M5, M7, M22).
#pragma once

#include <memory>
#include <vector>

#include "engine/cpu/attention.h"
#include "engine/cpu/linear.h"
#include "engine/cpu/row_ops.h"
#include "engine/cpu/thread_team.h"
#include "engine/tables.h"
#include "model/weights.h"

namespace rex::engine {

struct CpuNorm {
  AlignedFloats weight, bias;
  float eps = 0.0F;
  [[nodiscard]] NormView view() const { return {weight.data(), bias.data(), eps}; }
};

struct CpuLayer {
  Linear qkv;            // [T, C] → [T, 3C]; queries carry the softmax scale (M9)
  Linear attention_out;  // [T, C] contexts → added to [T, C]
  Linear ffn_in, ffn_out;
  CpuNorm attention_norm, output_norm;
  AlignedFloats position_key, position_query;  // [H, D, ld_slots] (M7)
};

class CpuWeights {
 public:
  CpuWeights(std::shared_ptr<const model::Weights> weights, ThreadTeam& team,
             std::vector<LinearContext>& contexts);

  // LayerNorm'ed embedding of a token (M1). `row` has C floats.
  void embed(int32_t id, std::span<float> row) const;

  [[nodiscard]] const model::ModelConfig& config() const { return source_->config; }
  [[nodiscard]] int64_t bytes() const;
  [[nodiscard]] int64_t context_bytes() const;  // of one LinearContext

  AttentionShape attention;
  std::vector<std::unique_ptr<CpuLayer>> layers;
  std::unique_ptr<Linear> conv;  // [T, 3C] (three neighbours side by side) → [T, C], or none
  CpuNorm conv_norm;
  std::unique_ptr<Linear> head;  // [T, C] → [T, 2C]: queries, then keys (M21)
  RotaryTable rotary;

 private:
  void pack_layers(ThreadTeam& team);
  [[nodiscard]] std::vector<const Linear*> products() const;
  void make_position_tables(ThreadTeam& team, std::vector<LinearContext>& contexts);

  std::shared_ptr<const model::Weights> source_;  // the embedding table stays in the mapped file
  CpuNorm embedding_norm_;
  SlotTable slots_{};
};

}  // namespace rex::engine
