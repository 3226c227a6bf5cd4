#include "engine/cpu/arena_plan.h"

#include <algorithm>

#include "engine/cpu/scores.h"

namespace rex::engine {

int32_t ffn_block_rows(int32_t tokens, int32_t threads) {
  return std::min(tokens, std::max(512, threads * kPanelRows));
}

MemoryPlan plan_cpu_arena(const model::ModelConfig& config, BatchLimits limits, int32_t threads,
                          const ConvertedWidths& converted) {
  MemoryPlan plan;
  plan.steps = {"embed",       "conv",         "layer 0 qkv", "layer 0 attn", "layer 0 out",
                "layer 0 ffn", "layer 0 norm", "layers qkv",  "layers attn",  "layers out",
                "layers ffn",  "head",         "rotate",      "scores"};
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  const int64_t rows = limits.tokens, spaced = rows + limits.passes;
  const int64_t block = ffn_block_rows(limits.tokens, threads);
  const int64_t hidden = config.hidden, ffn = config.intermediate;
  const bool conv = config.conv_kernel == 3;
  plan.buffers = {
      {"hidden", rows * hidden * kFloat, kStepEmbed, kStepHead},
      {"embedded", conv ? (spaced + 1) * hidden * kFloat : 0, kStepEmbed, kStepConv},
      {"conv rows", conv ? spaced * converted.conv : 0, kStepConv, kStepConv},
      {"conv", conv ? spaced * hidden * kFloat : 0, kStepConv, kStepLayer0Norm},
      {"rows", rows * converted.hidden, kStepEmbed, kStepHead},
      {"row scales", 4 * spaced * kFloat, kStepEmbed, kStepHead},
      {"qkv, layer 0", rows * 3 * hidden * kFloat, kStepLayer0Qkv, kStepLayer0Attention},
      {"context, layer 0", rows * hidden * kFloat, kStepLayer0Attention, kStepLayer0Out},
      {"ffn, layer 0", block * ffn * kFloat, kStepLayer0Ffn, kStepLayer0Ffn},
      {"ffn rows, layer 0", block * converted.ffn, kStepLayer0Ffn, kStepLayer0Ffn},
      {"qkv, layers", rows * 3 * hidden * kFloat, kStepLayersQkv, kStepLayersAttention},
      {"context, layers", rows * hidden * kFloat, kStepLayersAttention, kStepLayersOut},
      {"ffn, layers", block * ffn * kFloat, kStepLayersFfn, kStepLayersFfn},
      {"ffn rows, layers", block * converted.ffn, kStepLayersFfn, kStepLayersFfn},
      {"heads", rows * 2 * hidden * kFloat, kStepHead, kStepScores},
      {"key columns", rows * hidden * kFloat + 64, kStepRotate, kStepScores},  // read beyond
      {"scores", rows * kLdScores * kFloat, kStepScores, kStepScores},
  };
  place_buffers(plan);
  return plan;
}

}  // namespace rex::engine
