#include "cli/model_options.h"

#include "cli/context.h"

namespace rex::cli {

void ModelOptions::add_to(CLI::App& command) {
  command.add_option("--model", model,
                     "model folder (default: $REXUNINLU_MODEL, else the small model)");
  command.add_option("--device", device, "where to compute: cpu")->capture_default_str();
  command.add_option("--threads", threads, "threads; 0: all cores")->capture_default_str();
  command
      .add_option("--max-batch-tokens", max_batch_tokens,
                  "tokens computed together; memory is planned for it")
      ->capture_default_str();
}

Result<std::unique_ptr<pipeline::Pipeline>> ModelOptions::open() const {
  api::OpenOptions options{device, threads, {}};
  options.limits.tokens = max_batch_tokens;
  return api::open_model(model_folder(model), options);
}

}  // namespace rex::cli
