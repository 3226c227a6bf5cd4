// `rexuninlu bench`: how fast is the engine on this machine, and how far from its limits?
#include <chrono>
#include <fstream>
#include <iostream>

#include "api/open_model.h"
#include "cli/bench_engine.h"
#include "cli/commands.h"
#include "model/weights.h"

namespace rex::cli {
namespace {

constexpr const char* kFooter =
    "Passes of made-up tokens; times do not depend on what the weights have learned.\n"
    "Examples:\n"
    "  rexuninlu bench                           the official size, random weights\n"
    "  rexuninlu bench --model models/mini --shape 1x64 --shape 16x128\n"
    "  rexuninlu --json bench --seconds 5 > bench.json";

struct Options {
  std::string model;  // empty: random weights of the official size
  std::vector<std::string> shapes;
  std::string device = "auto", precision = "auto";
  int32_t threads = 0;
  int32_t max_batch_tokens = 0;
  double seconds = 3.0;
  bool cpu_time = false;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Result<std::vector<BenchShape>> shapes_of(const Options& options) {
  if (options.shapes.empty()) return standard_shapes();
  std::vector<BenchShape> shapes;
  for (const std::string& text : options.shapes) {
    REX_TRY(shape, parse_shape(text));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Result<int> bench(const Options& options, bool json) {
  REX_TRY(shapes, shapes_of(options));
  engine::ModelSource source;
  auto begin = std::chrono::steady_clock::now();
  if (options.model.empty()) {
    source.weights = model::random_weights(model::base_config(), 1);
  } else {
    REX_TRY(opened, engine::open_model_source(options.model));
    source = std::move(opened);
  }
  const model::ModelConfig config = source.config();
  const double load_seconds = seconds_since(begin);
  begin = std::chrono::steady_clock::now();
  REX_TRY(device, engine::parse_device(options.device));
  REX_TRY(precision, engine::parse_precision(options.precision));
  REX_TRY(made, engine::make_engine(std::move(source), {.device = device,
                                                        .precision = precision,
                                                        .threads = options.threads,
                                                        .limits = {options.max_batch_tokens, 0},
                                                        .tuning_file = api::tuning_file()}));
  const std::unique_ptr<engine::Engine> engine = std::move(made.engine);
  const double pack_seconds = seconds_since(begin);
  const engine::EngineInfo& info = engine->info();
  std::cerr << info.device << " " << info.precision << ", " << info.threads << " threads, "
            << info.detail << '\n';
  Ceilings ceilings;  // of the CPU only: a GPU's floors are part of rex_gpu_check
  if (info.device == "cpu") {
    std::cerr << "measuring the machine's ceilings…\n";
    REX_TRY(computed, engine::parse_precision(info.precision));
    ceilings = measure_ceilings(info.threads, computed);
  }

  std::vector<BenchRow> rows;
  for (const BenchShape& shape : shapes) {
    std::cerr << shape.name << "…\n";
    REX_TRY(row, bench_shape(*engine, config, shape, ceilings, options.seconds, options.cpu_time));
    rows.push_back(std::move(row));
  }
  if (json) {
    Json report = to_json(rows, ceilings);
    report["engine"] = {{"device", info.device},
                        {"precision", info.precision},
                        {"threads", info.threads},
                        {"library", info.detail}};
    report["start"] = {{"map_or_make_s", load_seconds}, {"pack_s", pack_seconds}};
    report["memory"] = {{"weights_bytes", engine->plan().weight_bytes},
                        {"arena_bytes", engine->plan().arena_bytes},
                        {"workspace_bytes", engine->plan().workspace_bytes}};
    std::cout << dump(report, 2) << '\n';
  } else {
    std::cout << to_table(rows, ceilings) << "start: weights " << load_seconds << " s, packing "
              << pack_seconds << " s\n";
  }
  return 0;
}

}  // namespace

void register_bench(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("bench", "times the engine beside the machine's own limits");
  command->footer(kFooter);
  auto options = std::make_shared<Options>();
  command->add_option("--model", options->model,
                      "model folder (default: random weights of the official size)");
  command->add_option("--shape", options->shapes,
                      "PASSESxTOKENS or mixed, repeatable (default: 1x64 1x128 1x512 16x128)");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  command->add_option("--precision", options->precision, "auto, f32, f16, bf16 or int8 (CPU)")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "CPU threads (default: all cores)");
  command->add_option("--max-batch-tokens", options->max_batch_tokens,
                      "token budget of a batch, 512 or more; 0: the device's usual size");
  command->add_flag("--cpu-time", options->cpu_time,
                    "times in CPU time of the process: with --threads 1, on a busy machine");
  command->add_option("--seconds", options->seconds, "time for each shape")
      ->check(CLI::Range(0.1, 600.0));
  command->callback([options, &context] { context.finish(bench(*options, context.json)); });
}

}  // namespace rex::cli
