// rexuninlu-train: the trainer as a program of its own, so that the main program needs no LibTorch.
// `rexuninlu train` runs it. Options are --name value; see options.cc.
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <thread>

#include "core/mapped_file.h"
#include "model/config.h"
#include "train/torch/loss.h"
#include "train/torch/measure.h"
#include "train/torch/trainer.h"

namespace rex::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "rexuninlu-train COMMAND --option value …\n"
    "  tune      fine-tune a model on labelled data: train.json(l) and dev.json(l) of a folder\n"
    "  mix       train on many labelled files at once, varied from draw to draw\n"
    "  text      masked language modelling on plain text files\n"
    "  score     strict micro F1 of a model on development files, by the trainer's arithmetic\n"
    "  check     read the data and report every bad line; nothing is trained\n"
    "  measure   memory and time of a training step, predicted and measured\n"
    "Options (default):\n";

std::atomic<bool> stop{false};

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

// The files that `given` names: a list, or a folder's files of one part ("train", "dev").
Result<std::vector<fs::path>> files_of(const std::string& given, const std::string& part) {
  std::vector<fs::path> files;
  for (const std::string& one : split(given, ',')) {
    std::error_code error;
    if (!fs::is_directory(one, error)) {
      if (!fs::exists(one, error))
        return fail(ErrorCode::kFileNotFound, "no such file or folder", one);
      files.emplace_back(one);
      continue;
    }
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(one, error)) {
      const std::string name = entry.path().filename().string();
      const bool fits = name == part + ".json" || name == part + ".jsonl" ||
                        name.ends_with("." + part + ".jsonl") ||
                        (part == "txt" && name.ends_with(".txt"));
      if (fits) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

struct Ready {
  std::shared_ptr<const text::Tokenizer> tokenizer;
  std::unique_ptr<Net> net;
  int32_t threads = 1;
};

Result<Ready> prepare(const Options& options, bool language_head) {
  if (options.model.empty()) return fail(ErrorCode::kUsage, "name a model folder", "--model");
  Ready ready;
  ready.threads = options.threads > 0
                      ? static_cast<int32_t>(options.threads)
                      : std::max(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
  REX_TRY(tokenizer, text::Tokenizer::load(options.model));
  ready.tokenizer = tokenizer;
  const bool gpu = options.device != "cpu" && torch::cuda::is_available();
  if (!gpu && options.device.starts_with("cuda"))
    return fail(ErrorCode::kOptionRange, "LibTorch finds no GPU; use cpu or auto", "--device");
  const std::string device = gpu ? (options.device == "auto" ? "cuda:0" : options.device) : "cpu";
  const bool narrow = options.precision == "bf16" || (options.precision == "auto" && gpu);
  at::globalContext().setAllowTF32CuBLAS(true);
#if REX_TORCH_AT_LEAST(2, 2)
  at::globalContext().setSDPUseCuDNN(false);  // its kernels give no gradient of the bias
#endif
  const auto parsed = model::load_config(options.model);
  if (!parsed) return fail(Error(parsed.error()));
  REX_TRY(net, Net::make(*parsed, {.device = torch::Device(device),
                                   .master = torch::kFloat,
                                   .compute = narrow ? torch::kBFloat16 : torch::kFloat,
                                   .dropout = options.dropout,
                                   .padding = options.loss_cells == "all" ? Padding::kAsOriginal
                                                                          : Padding::kAsEngine,
                                   .language_head = language_head}));
  ready.net = std::move(net);
  torch::manual_seed(static_cast<uint64_t>(options.seed));
  if (options.random) {
    ready.net->randomise(static_cast<uint64_t>(options.seed));
  } else {
    REX_TRY(weights, model::load_weights(options.model));
    ready.net->load(*weights);
  }
  return ready;
}

// Every labelled file; prints all faults. Errors: SAMPLE_INVALID when there were any.
Result<std::vector<DataSet>> read_sets(const Options& options, const RowBuilder& builder,
                                       int32_t threads) {
  REX_TRY(files, files_of(options.data, "train"));
  if (files.empty())
    return fail(ErrorCode::kFileNotFound, "no train.json or train.jsonl", options.data);
  const auto excluded = split(options.exclude, ',');
  std::vector<DataSet> sets;
  size_t faults = 0, examples = 0;
  for (const fs::path& file : files) {
    REX_TRY(set, read_data_set(file, builder, threads));
    if (std::find(excluded.begin(), excluded.end(), set.name) != excluded.end()) continue;
    for (const std::string& fault : set.faults) std::cerr << fault << '\n';
    faults += set.faults.size();
    examples += set.examples.size();
    sets.push_back(std::move(set));
  }
  std::cerr << examples << " samples in " << sets.size() << " files, " << faults << " bad lines\n";
  if (faults > 0 && options.bad_lines == "stop") {
    return fail(ErrorCode::kSampleInvalid,
                std::to_string(faults) + " bad lines, listed above; correct or remove them",
                options.data);
  }
  if (examples == 0) return fail(ErrorCode::kSampleInvalid, "there are no samples", options.data);
  return sets;
}

Result<std::vector<DevFile>> read_devs(const Options& options) {
  std::vector<DevFile> dev;
  REX_TRY(files, files_of(options.dev.empty() ? options.data : options.dev, "dev"));
  const bool whole_folder = options.dev.empty() && !fs::is_directory(options.data);
  if (whole_folder) return dev;  // `data` named files: development files must be named too
  for (const fs::path& file : files) {
    REX_TRY(one, read_dev(file.string()));
    dev.push_back(std::move(one));
  }
  return dev;
}

Result<Augmenter> augmenter_of(const Options& options, const std::vector<DataSet>& sets) {
  std::vector<std::vector<std::string>> names;
  if (!options.names.empty()) {
    REX_TRY(text, read_text_file(options.names, 1 << 20));
    for (const std::string& line : split(text, '\n')) {
      if (!line.starts_with("#")) names.push_back(split(line, ' '));
    }
  }
  // Labels that are nearly always wrong for another text: questions and event types.
  std::set<std::string> foreign;
  for (const DataSet& set : sets) {
    for (const Example& example : set.examples) {
      if (foreign.size() > 20000 || example.kind != pipeline::TextKind::kExtraction) break;
      for (const schema::Node& node : example.schema.roots) {
        const bool question = node.label.ends_with("？") || node.label.ends_with("?");
        if (question || node.label.find("事件") != std::string::npos) foreign.insert(node.label);
      }
    }
  }
  return Augmenter(AugmentOptions{}, names, {foreign.begin(), foreign.end()});
}

Result<MixOptions> mix_of(const Options& options) {
  MixOptions mix;
  mix.samples = static_cast<size_t>(options.pool);
  for (const std::string& one : split(options.factors, ',')) {
    const auto parts = split(one, '=');
    if (parts.size() != 2 || std::atof(parts[1].c_str()) <= 0)
      return fail(ErrorCode::kOptionType, "\"" + one + "\" is not set=factor", "--factors");
    mix.factors[parts[0]] = std::atof(parts[1].c_str());
  }
  return mix;
}

void tell(const RunResult& result, const Options& options) {
  std::cout << (result.finished ? "finished" : "stopped; the same command goes on") << " after "
            << result.steps << " steps";
  if (result.best_f1 >= 0)
    std::printf("%s", (", best dev F1 " + std::to_string(result.best_f1)).c_str());
  std::cout << (result.finished ? "; model: " + (fs::path(options.out) / "model").string() : "")
            << std::endl;
}

Result<int> train(const std::string& command, const Options& options) {
  if (options.out.empty()) return fail(ErrorCode::kUsage, "name a folder for the result", "--out");
  const bool language = command == "text";
  REX_TRY(ready, prepare(options, language));
  REX_TRY(builder, RowBuilder::make(ready.tokenizer,
                                    prompt::limits_for(static_cast<int32_t>(options.max_length)),
                                    static_cast<int32_t>(options.stride)));
  std::unique_ptr<RowSource> source;
  std::vector<DevFile> dev;
  const auto seed = static_cast<uint64_t>(options.seed);
  if (language) {
    REX_TRY(files, files_of(options.data, "txt"));
    REX_TRY(texts, text_source(files, *ready.tokenizer, static_cast<size_t>(options.pool),
                               static_cast<int32_t>(options.window), seed, ready.threads));
    source = std::move(texts);
  } else {
    REX_TRY(sets, read_sets(options, builder, ready.threads));
    REX_TRY(devs, read_devs(options));
    dev = std::move(devs);
    if (command == "mix") {
      REX_TRY(augmenter, augmenter_of(options, sets));
      REX_TRY(mix, mix_of(options));
      source = mix_source(std::move(sets), builder, std::move(augmenter), mix, seed, ready.threads);
    } else {
      source = epoch_source(std::move(sets), builder, seed, ready.threads);
    }
  }
  REX_TRY(result, run(options, language ? Goal::kLanguage : Goal::kLabels, *ready.net, *source,
                      ready.tokenizer, dev, stop));
  tell(result, options);
  return 0;
}

Result<int> score_files(const Options& options) {
  REX_TRY(ready, prepare(options, false));
  REX_TRY(dev, read_devs(options));
  if (dev.empty()) return fail(ErrorCode::kUsage, "name development files", "--dev");
  const std::string metric = options.metrics.substr(0, options.metrics.find(','));
  REX_TRY(scores, score(*ready.net, ready.tokenizer, dev, options.dev_limit, metric));
  double sum = 0.0;
  for (const DevScore& one : scores) {
    std::printf("%-36s %6lld  %.4f\n", one.name.c_str(), static_cast<long long>(one.samples),
                one.f1);
    sum += one.f1;
  }
  std::printf("%-36s %6zu  %.4f\n", "mean", scores.size(),
              sum / static_cast<double>(scores.size()));
  return 0;
}

Result<int> check_data(const Options& options) {
  REX_TRY(tokenizer, text::Tokenizer::load(options.model));
  REX_TRY(builder,
          RowBuilder::make(tokenizer, prompt::limits_for(static_cast<int32_t>(options.max_length)),
                           static_cast<int32_t>(options.stride)));
  REX_TRY(sets, read_sets(options, builder,
                          std::max(1, static_cast<int32_t>(std::thread::hardware_concurrency()))));
  return 0;
}

Result<int> command_line(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "help" ||
      std::find(words.begin(), words.end(), "--help") != words.end()) {
    std::cout << kUsage << describe_options();
    return 0;
  }
  REX_TRY(options, parse_options(std::span(words).subspan(1)));
  const std::string& command = words[0];
  if (command == "tune" || command == "mix" || command == "text") return train(command, options);
  if (command == "score") return score_files(options);
  if (command == "check") return check_data(options);
  if (command == "measure") return measure(options);
  return fail(ErrorCode::kUsage, "there is no command \"" + command +
                                     "\"; tune, mix, text, score, check, measure exist");
}

}  // namespace
}  // namespace rex::train

int main(int argc, char** argv) {
  const auto on_signal = [](int) { rex::train::stop = true; };
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  try {
    const auto result = rex::train::command_line({argv + 1, argv + argc});
    if (result) return *result;
    std::cerr << "error: " << result.error().to_string() << '\n';
    return rex::row_of(result.error().code).exit_code;
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "error: %s\n", bug.what());
    return rex::row_of(rex::ErrorCode::kInternal).exit_code;
  }
}
