// `rexuninlu convert`: a model folder made ready for the CPU engine, so that starting is a memory
// map.
#include <chrono>
#include <iostream>

#include "cli/commands.h"
#include "engine/make_engine.h"
#include "model/weights.h"
#include "model/write_model.h"

namespace rex::cli {
namespace {

constexpr const char* kFooter =
    "The folder is used like any other: rexuninlu analyze --model DIR, rexuninlu serve. It works "
    "on\n"
    "every processor; a GPU needs the original folder.\n"
    "Examples:\n"
    "  rexuninlu convert --model models/mini --precision bf16 --out /tmp/mini-bf16\n"
    "  rexuninlu convert --model ~/models/base --precision int8 --out ~/models/base-int8";

struct Options {
  std::string model, out, precision;
};

Result<int> convert(const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string from = model_folder(options.model);
  REX_TRY(precision, engine::parse_precision(options.precision));
  REX_TRY(weights, model::load_weights(from));
  REX_TRY(packed, engine::pack_for_cpu(*weights, precision));
  REX_TRY_VOID(model::write_packed_folder(options.out, *packed, from));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::cerr << "wrote " << options.out << ": " << packed->precision << ", "
            << packed->bytes() / (1 << 20) << " MiB, " << seconds.count() << " s\n";
  return 0;
}

}  // namespace

void register_convert(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("convert", "packs a model's weights for the CPU engine in a precision");
  command->footer(kFooter);
  auto options = std::make_shared<Options>();
  command->add_option("--model", options->model,
                      "model folder (default: $REXUNINLU_MODEL, else the small model)");
  command->add_option("--precision", options->precision, "f32, bf16, f16 or int8")
      ->required()
      ->check(CLI::IsMember({"f32", "bf16", "f16", "int8"}));
  command->add_option("--out", options->out, "folder to write")->required();
  command->callback([options, &context] { context.finish(convert(*options)); });
}

}  // namespace rex::cli
