// `rexuninlu make-model`: a model folder of random weights, or a copy of a model in another
// precision or file form.
#include <iostream>

#include "cli/commands.h"
#include "model/weights.h"
#include "model/write_model.h"

namespace rex::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  rexuninlu make-model --out /tmp/base                      random weights, official size, "
    "f32\n"
    "  rexuninlu make-model --from MODEL --dtype f16 --out DIR   pytorch_model.bin to safetensors, "
    "halved";

struct Options {
  std::string from;
  std::string out;
  std::string dtype = "f32";
  uint64_t seed = 1;
};

Result<int> make_model(const Options& options) {
  const model::DType dtype = options.dtype == "f16"    ? model::DType::kF16
                             : options.dtype == "bf16" ? model::DType::kBF16
                                                       : model::DType::kF32;
  std::shared_ptr<const model::Weights> weights;
  if (options.from.empty()) {
    weights = model::random_weights(model::base_config(), options.seed);
  } else {
    REX_TRY(loaded, model::load_weights(options.from));
    weights = std::move(loaded);
  }
  REX_TRY_VOID(
      model::write_checkpoint_folder(options.out, *weights, model_folder(options.from), dtype));
  std::cerr << "wrote " << options.out << '\n';
  return 0;
}

}  // namespace

void register_make_model(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "make-model", "writes a model folder: random weights, or a converted copy");
  command->footer(kFooter);
  auto options = std::make_shared<Options>();
  command->add_option("--from", options->from,
                      "model folder to copy (default: random weights of the official size)");
  command->add_option("--out", options->out, "folder to write")->required();
  command->add_option("--dtype", options->dtype, "f32, f16 or bf16")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}));
  command->add_option("--seed", options->seed, "of the random weights");
  command->callback([options, &context] { context.finish(make_model(*options)); });
}

}  // namespace rex::cli
