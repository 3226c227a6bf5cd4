#include "engine/cuda/cuda_plan.h"

namespace rex::engine::cuda {
namespace {

enum Step : int32_t {
  kEmbed,
  kQkvStep,
  kAttention,
  kOut,
  kFfnStep,
  kConvEmbed,
  kConvStep,
  kNorm,
  kHead,
  kScores
};

}  // namespace

MemoryPlan plan_cuda_arena(const model::ModelConfig& config, int32_t rows, size_t value_bytes) {
  MemoryPlan plan;
  plan.steps = {"embed",      "qkv",  "attention",  "out",  "ffn",
                "conv embed", "conv", "layer norm", "head", "scores"};
  const auto bytes = [&](int64_t width, size_t each) {
    return rows * width * static_cast<int64_t>(each);
  };
  const int64_t hidden = config.hidden;
  plan.buffers = {
      {"hidden", bytes(hidden, value_bytes), kEmbed, kHead},
      {"qkv", bytes(3 * hidden, value_bytes), kQkvStep, kOut},
      {"ffn", bytes(config.intermediate, value_bytes), kFfnStep, kFfnStep},
      {"conv", bytes(hidden, value_bytes), kConvEmbed, kNorm},
      {"neighbours", bytes(3 * hidden, value_bytes), kConvStep, kConvStep},
      {"heads", bytes(2 * hidden, sizeof(float)), kHead, kScores},
  };
  place_buffers(plan);
  return plan;
}

}  // namespace rex::engine::cuda
