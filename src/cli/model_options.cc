#include "cli/model_options.h"

#include <iostream>

#include "cli/context.h"

namespace rex::cli {

void ModelOptions::add_to(CLI::App& command) {
  command.add_option("--model", model,
                     "model folder (default: $REXUNINLU_MODEL, else the small model)");
  command
      .add_option("--device", device, "where to compute: auto (a GPU if usable), cpu, cuda, cuda:N")
      ->capture_default_str();
  command
      .add_option(
          "--precision", precision,
          "auto (GPU f16, CPU f32 or what the model is packed in), f32, f16, bf16 or int8 (CPU)")
      ->capture_default_str();
  command.add_option("--threads", threads, "CPU threads; 0: all cores")->capture_default_str();
  command
      .add_option(
          "--max-batch-tokens", max_batch_tokens,
          "tokens computed together; memory is planned for it; 0: 2048 on the CPU, 8192 on a "
          "GPU")
      ->capture_default_str();
  command
      .add_option("--sparse-attention", sparse_attention,
                  "GPU: true (exact), false, punctuation (lossy: Chinese punctuation gets no "
                  "attention), auto (that from 32 tokens on)")
      ->capture_default_str();
}

Result<std::unique_ptr<pipeline::Pipeline>> ModelOptions::open() const {
  api::OpenOptions options{.device = device,
                           .precision = precision,
                           .threads = threads,
                           .sparse_attention = sparse_attention};
  options.limits.tokens = max_batch_tokens;
  REX_TRY(opened, api::open_model(model_folder(model), options));
  // Without the GPU library nobody expects a GPU; with it the reason is worth a line.
  if (!opened.note.empty() && opened.note.find("this installation") == std::string::npos)
    std::cerr << "note: " << opened.note << '\n';
  return std::move(opened.pipeline);
}

}  // namespace rex::cli
