// A model folder, ready to work: tokenizer, weights, engine and pipeline put together. Used by the
// public interface and the command line.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/result.h"
#include "pipeline/analyze.h"

namespace rex::api {

struct OpenOptions {
  std::string device = "cpu";
  int32_t threads = 0;  // 0: all cores that the process may use
  engine::BatchLimits limits;
};

// Errors: those of Tokenizer::load, load_weights and make_cpu_engine; OPTION_RANGE for a device
// that this build does not have; CHECKPOINT_MISMATCH when vocabulary and weights do not fit.
Result<std::unique_ptr<pipeline::Pipeline>> open_model(const std::filesystem::path& model_dir,
                                                       const OpenOptions& options = {});

}  // namespace rex::api
