// A model folder, ready to work: tokenizer, weights, engine and pipeline put together. Used by the
// public interface and the command line.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/result.h"
#include "engine/make_engine.h"
#include "pipeline/analyze.h"

namespace rex::api {

struct OpenOptions {
  std::string device = "auto";       // auto, cpu, cuda or cuda:N
  std::string precision = "auto";    // auto, f32, f16, bf16 or int8 (CPU)
  int32_t threads = 0;               // 0: all cores that the process may use
  engine::BatchLimits limits{0, 0};  // 0: the device's usual size
  bool memory_pool = true;           // GPU: see engine::EngineOptions
  // "true": what the mask hides is skipped, exactly. "false": nothing is. GPU, lossy: "punctuation"
  // gives Chinese punctuation in texts attention weight 0, "auto" does so from 32 tokens on.
  std::string sparse_attention = "true";
};

struct OpenedModel {
  std::unique_ptr<pipeline::Pipeline> pipeline;
  std::string note;  // worth telling the user, for example why no GPU is used; may be empty
};

// Errors: those of Tokenizer::load, load_weights and make_engine; CHECKPOINT_MISMATCH when
// vocabulary and weights do not fit.
Result<OpenedModel> open_model(const std::filesystem::path& model_dir,
                               const OpenOptions& options = {});

// Where measured choices of GPU products are kept: $XDG_CACHE_HOME or ~/.cache, /rexuninlu. Empty
// when neither is known.
std::string tuning_file();

}  // namespace rex::api
