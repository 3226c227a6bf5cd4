// `rexuninlu serve`: the HTTP service.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "api/open_model.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "config/load.h"
#include "observe/log.h"
#include "server/service.h"

namespace rex::cli {
namespace {

using observe::Level;

constexpr const char* kFooter =
    "Examples:\n"
    "  rexuninlu serve\n"
    "  rexuninlu serve --config config.yaml --port 8000\n"
    "  rexuninlu serve --set logging.level=debug --set inference.max_batch_tokens=4096\n"
    "Then: curl localhost:7860/api/ner -d '{\"text\": \"张三去了北京。\", \"labels\": "
    "[\"人物\"]}'\n"
    "SIGTERM and Ctrl-C end it: running requests are answered first.\n"
    "Exit codes: 0 ended in order, 1 requests were cut off, 69 address in use, 78 a setting is "
    "wrong;\n"
    "those of `analyze` when the model cannot be loaded.";

struct Options {
  std::string config, model, host, device, ready_file;
  std::vector<std::string> set;
  int port = -1;
  bool check = false, describe = false;
};

// The flags with names of their own, as settings.
std::vector<std::string> flags_of(const Options& options) {
  std::vector<std::string> flags = options.set;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) flags.push_back(std::string(name) + "=" + Json(value).dump());
  };
  add("model.path", options.model);
  add("server.host", options.host);
  add("inference.device_map", options.device);
  if (options.port >= 0) flags.push_back("server.port=" + std::to_string(options.port));
  return flags;
}

// The page that stands beside the program, or in the repository that it was built from.
std::string page_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& folder :
       {program / "../share/rexuninlu/web", std::filesystem::path(REX_SOURCE_WEB)}) {
    if (std::filesystem::exists(folder / "index.html", error)) {
      return std::filesystem::weakly_canonical(folder, error).string();
    }
  }
  return {};
}

// The two lines that the published articles promise.
void log_switches(const config::Settings& s, const engine::EngineInfo& engine) {
  const auto on = [](bool value) { return value ? "ON" : "OFF"; };
  const bool gpu = engine.device.starts_with("cuda");
  if (s.gpu.enabled && gpu) {
    observe::log(Level::kInfo, std::string("GPU optimization enabled: memory_pool=") +
                                   on(s.gpu.memory_pool) + ", dynamic_checkpoint=" +
                                   on(s.gpu.dynamic_checkpoint) + ", sparse_attention=" +
                                   (s.gpu.sparse_attention == "true"    ? "ON"
                                    : s.gpu.sparse_attention == "false" ? "OFF"
                                                                        : s.gpu.sparse_attention));
    if (s.gpu.dynamic_checkpoint)
      observe::log(Level::kInfo,
                   "dynamic_checkpoint is about training: answers need no recomputation");
  } else {
    observe::log(Level::kInfo, "GPU optimization disabled");
    if (s.gpu.enabled)
      observe::log(Level::kWarn,
                   "model.use_gpu_optimization is set, but the model runs on " + engine.device);
  }
  const bool half = engine.precision == "f16" || engine.precision == "fp16";
  const bool brain = engine.precision == "bf16";
  observe::log(Level::kInfo, "engine: " + engine.device + " in " + engine.precision + " by " +
                                 engine.detail + ", " + std::to_string(engine.threads) +
                                 " threads");
  observe::log(Level::kInfo, half    ? "INFO: inference_engine: AMP enabled with torch.float16"
                             : brain ? "INFO: inference_engine: AMP enabled with torch.bfloat16"
                                     : "INFO: inference_engine: AMP disabled, using float32");
}

// The model as the settings ask for it. A precision that is not to be had (a packed model has its
// own) is no reason not to serve.
Result<std::unique_ptr<pipeline::Pipeline>> open(const std::filesystem::path& model_dir,
                                                 const config::Settings& s) {
  const std::map<std::string, std::string> precisions = {
      {"float32", "f32"}, {"float16", "f16"}, {"bfloat16", "bf16"}, {"int8", "int8"}};
  const auto named = precisions.find(s.inference.dtype);
  api::OpenOptions open{.device = s.inference.device,
                        .precision = named == precisions.end() ? "auto" : named->second,
                        .threads = s.inference.threads,
                        .limits = {s.inference.max_batch_tokens, s.inference.batch_size},
                        .memory_pool = !s.gpu.enabled || s.gpu.memory_pool,
                        .sparse_attention = s.gpu.enabled ? s.gpu.sparse_attention : "true"};
  auto opened = api::open_model(model_dir, open);
  if (!opened && opened.error().place == "precision") {
    observe::log(Level::kWarn, "inference.torch_dtype is " + s.inference.dtype + ", but " +
                                   opened.error().message + "; using auto");
    open.precision = "auto";
    opened = api::open_model(model_dir, open);
  }
  if (!opened) return fail(std::move(opened).error());
  if (!opened->note.empty()) observe::log(Level::kInfo, opened->note);
  return std::move(opened->pipeline);
}

Result<int> run(const Options& options) {
  if (options.describe) {
    std::cout << config::describe();
    return 0;
  }
  REX_TRY(loaded, config::load({options.config, config::process_environment(), flags_of(options)}));
  if (options.check) {
    for (const std::string& name : loaded.without_effect) std::cout << name << ": has no effect\n";
    std::cout << "the settings are good\n";
    return 0;
  }
  config::Settings& s = loaded.settings;
  REX_TRY_VOID(observe::open_log({s.logging.level, s.logging.format == "json", s.logging.file,
                                  int64_t{s.logging.rotate_mb} << 20, s.logging.keep}));
  for (const std::string& name : loaded.without_effect) {
    observe::log(Level::kInfo, "setting has no effect", {{"name", name}});
  }
  if (s.ui.dir.empty()) s.ui.dir = page_folder();
  server::ServiceParts parts{s, REX_VERSION, REX_REVISION, model_folder(s.model.path), {}};
  parts.open_model = [&s, dir = parts.model_dir]() -> Result<std::unique_ptr<pipeline::Pipeline>> {
    REX_TRY(pipeline, open(dir, s));
    log_switches(s, pipeline->engine().info());
    return pipeline;
  };
  const Interrupt interrupt;
  REX_TRY(service, server::Service::start(std::move(parts)));
  observe::log(Level::kInfo, "ready",
               {{"address", (s.server.cert_file.empty() ? "http://" : "https://") + s.server.host +
                                ":" + std::to_string(service->port())},
                {"model", model_folder(s.model.path)}});
  observe::flush_log();
  if (!options.ready_file.empty()) std::ofstream(options.ready_file) << service->port() << '\n';
  while (!interrupt.requested()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  observe::log(Level::kInfo, "draining");
  const bool all = service->drain();
  observe::log(all ? Level::kInfo : Level::kWarn,
               all ? "ended" : "ended; some requests were cut off");
  observe::flush_log();
  return all ? 0 : 1;
}

}  // namespace

void register_serve(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("serve", "answers HTTP requests");
  command->footer(kFooter);
  auto options = std::make_shared<Options>();
  command->add_option("--config", options->config, "file of settings, YAML or JSON");
  command->add_option("--set", options->set, "one setting, NAME=VALUE; may be repeated")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--model", options->model, "model folder");
  command->add_option("--host", options->host, "address to listen on (default 127.0.0.1)");
  command->add_option("--port", options->port, "port (default 7860); 0: any free one");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:N");
  command->add_option("--ready-file", options->ready_file,
                      "gets the port once requests can be answered");
  command->add_flag("--check", options->check, "checks the settings and ends");
  command->add_flag("--settings", options->describe, "shows every setting and ends");
  command->callback([options, &context] { context.finish(run(*options)); });
}

}  // namespace rex::cli
