#include "engine/cpu/arena_plan.h"

#include "engine/cpu/cpu_engine.h"
#include "engine/cpu/linear.h"
#include "engine/cpu/scores.h"

namespace rex::engine {

MemoryPlan plan_cpu_arena(const model::ModelConfig& config, BatchLimits limits) {
  MemoryPlan plan;
  plan.steps = {"embed",       "conv input",  "conv",         "layer 0 qkv", "layer 0 attn",
                "layer 0 out", "layer 0 ffn", "layer 0 norm", "layers qkv",  "layers attn",
                "layers out",  "layers ffn",  "head",         "rotate",      "scores"};
  const auto rows = static_cast<int64_t>((limits.tokens + kRowStep - 1) / kRowStep * kRowStep);
  const auto floats = [&](int64_t width) {
    return rows * width * static_cast<int64_t>(sizeof(float));
  };
  const int64_t hidden = config.hidden, ffn = config.intermediate;
  plan.buffers = {
      {"hidden", floats(hidden), kStepEmbed, kStepHead},
      {"neighbours", floats(3 * hidden), kStepConvInput, kStepConv},
      {"conv", floats(hidden), kStepConv, kStepLayer0Norm},
      {"qkv, layer 0", floats(3 * hidden), kStepLayer0Qkv, kStepLayer0Attention},
      {"context, layer 0", floats(hidden), kStepLayer0Attention, kStepLayer0Out},
      {"ffn, layer 0", floats(ffn), kStepLayer0Ffn, kStepLayer0Ffn},
      {"qkv, layers", floats(3 * hidden), kStepLayersQkv, kStepLayersAttention},
      {"context, layers", floats(hidden), kStepLayersAttention, kStepLayersOut},
      {"ffn, layers", floats(ffn), kStepLayersFfn, kStepLayersFfn},
      {"heads", floats(2 * hidden), kStepHead, kStepScores},
      {"key columns", floats(hidden) + 64, kStepRotate, kStepScores},  // read a vector beyond
      {"scores", floats(kLdScores), kStepScores, kStepScores},
  };
  place_buffers(plan);
  return plan;
}

}  // namespace rex::engine
