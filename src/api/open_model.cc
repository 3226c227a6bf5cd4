#include "api/open_model.h"

#include "engine/cpu/cpu_engine.h"
#include "model/weights.h"
#include "text/tokenizer.h"

namespace rex::api {

Result<std::unique_ptr<pipeline::Pipeline>> open_model(const std::filesystem::path& model_dir,
                                                       const OpenOptions& options) {
  if (options.device != "cpu") {
    return fail(ErrorCode::kOptionRange,
                "this build has no device \"" + options.device + "\"; there is cpu", "device");
  }
  if (!std::filesystem::is_directory(model_dir)) {
    return fail(ErrorCode::kFileNotFound, "there is no such model folder", model_dir.string());
  }
  REX_TRY(tokenizer, text::Tokenizer::load(model_dir));
  REX_TRY(weights, model::load_weights(model_dir));
  if (tokenizer->size() != weights->config.vocab_rows) {
    return fail(ErrorCode::kCheckpointMismatch,
                "vocab.txt makes " + std::to_string(tokenizer->size()) + " ids, the weights have " +
                    std::to_string(weights->config.vocab_rows) + " embeddings",
                model_dir.string());
  }
  REX_TRY(engine, engine::make_cpu_engine(std::move(weights), {options.threads, options.limits}));
  return std::make_unique<pipeline::Pipeline>(std::move(tokenizer), std::move(engine));
}

}  // namespace rex::api
