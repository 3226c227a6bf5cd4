#include "api/open_model.h"

#include <cstdlib>

#include "text/tokenizer.h"

namespace rex::api {

std::string tuning_file() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  std::filesystem::path folder = variable("XDG_CACHE_HOME");
  if (folder.empty() && !variable("HOME").empty()) folder = variable("HOME") / ".cache";
  return folder.empty() ? "" : (folder / "rexuninlu" / "gpu_products.txt").string();
}

Result<OpenedModel> open_model(const std::filesystem::path& model_dir, const OpenOptions& options) {
  engine::EngineOptions wanted{.threads = options.threads,
                               .limits = options.limits,
                               .memory_pool = options.memory_pool,
                               .tuning_file = tuning_file()};
  const bool lossy =
      options.sparse_attention == "punctuation" || options.sparse_attention == "auto";
  if (!lossy && options.sparse_attention != "true" && options.sparse_attention != "false") {
    return fail(ErrorCode::kOptionRange,
                "\"" + options.sparse_attention + "\" is none of true, false, punctuation, auto",
                "sparse_attention");
  }
  wanted.skip_tiles = options.sparse_attention != "false";
  REX_TRY(device, engine::parse_device(options.device));
  REX_TRY(precision, engine::parse_precision(options.precision));
  wanted.device = device;
  wanted.precision = precision;
  if (!std::filesystem::is_directory(model_dir)) {
    return fail(ErrorCode::kFileNotFound, "there is no such model folder", model_dir.string());
  }
  REX_TRY(tokenizer, text::Tokenizer::load(model_dir));
  REX_TRY(source, engine::open_model_source(model_dir));
  if (tokenizer->size() != source.config().vocab_rows) {
    return fail(ErrorCode::kCheckpointMismatch,
                "vocab.txt makes " + std::to_string(tokenizer->size()) + " ids, the weights have " +
                    std::to_string(source.config().vocab_rows) + " embeddings",
                model_dir.string());
  }
  REX_TRY(made, engine::make_engine(std::move(source), wanted));
  pipeline::UnseenTokens unseen;
  if (lossy) {
    constexpr int32_t kShortText = 32;  // the published articles' bound
    const bool automatic = options.sparse_attention == "auto";
    if (made.engine->info().device == "cpu") {
      made.note += std::string(made.note.empty() ? "" : "; ") +
                   "sparse_attention: " + options.sparse_attention + " has no effect on the CPU";
    } else {
      unseen = pipeline::UnseenTokens::punctuation(*tokenizer, automatic ? kShortText : 0);
    }
  }
  return OpenedModel{std::make_unique<pipeline::Pipeline>(
                         std::move(tokenizer), std::move(made.engine), std::move(unseen)),
                     std::move(made.note)};
}

}  // namespace rex::api
