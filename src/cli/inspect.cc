// `rexuninlu inspect DIR`: what is this model? Loads and checks everything, computes nothing.
#include <filesystem>
#include <iostream>

#include "cli/commands.h"
#include "cli/terminal_text.h"
#include "engine/make_engine.h"
#include "model/weights.h"
#include "text/tokenizer.h"

namespace rex::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  rexuninlu inspect models/mini\n"
    "  rexuninlu inspect --tensors --json ~/models/nlp_deberta_rex-uninlu_chinese-base";

Json shape_json(const model::ModelConfig& c) {
  return {{"layers", c.layers},
          {"hidden", c.hidden},
          {"heads", c.heads},
          {"intermediate", c.intermediate},
          {"vocab_rows", c.vocab_rows},
          {"position_buckets", c.position_buckets},
          {"max_relative_positions", c.max_relative_positions},
          {"conv_kernel", c.conv_kernel}};
}

// Every tensor of the model by its name in the file.
struct NamedTensor {
  std::string name;
  std::vector<int64_t> shape;
  int64_t count = 0;
};

std::vector<NamedTensor> tensors_of(const model::ModelConfig& config) {
  std::vector<NamedTensor> tensors;
  for (const model::ExpectedTensor& tensor : model::expected_tensors(config)) {
    int64_t count = 1;
    for (const int64_t size : tensor.shape) count *= size;
    tensors.push_back({tensor.name, tensor.shape, count});
  }
  return tensors;
}

Json files_json(const std::filesystem::path& folder) {
  Json files = Json::object();
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error))
      files[entry.path().filename().string()] = entry.file_size(error);
  }
  return files;
}

Result<Json> inspect(const std::string& folder, bool list_tensors) {
  if (!std::filesystem::is_directory(folder)) {
    return fail(ErrorCode::kFileNotFound, "there is no such model folder", folder);
  }
  REX_TRY(tokenizer, text::Tokenizer::load(folder));
  REX_TRY(source, engine::open_model_source(folder));
  const model::ModelConfig& config = source.config();
  if (tokenizer->size() != config.vocab_rows) {
    return fail(ErrorCode::kCheckpointMismatch,
                "vocab.txt makes " + std::to_string(tokenizer->size()) + " ids, the weights have " +
                    std::to_string(config.vocab_rows) + " embeddings",
                folder);
  }
  const auto tensors = tensors_of(config);
  int64_t parameters = 0;
  Json list = Json::array();
  for (const NamedTensor& tensor : tensors) {
    parameters += tensor.count;
    if (list_tensors) list.push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  }
  Json report = {
      {"folder", folder},
      {"config", shape_json(config)},
      {"parameters", parameters},
      {"tensors", tensors.size()},
      {"stored_as", source.packed
                        ? source.packed->precision
                        : std::string(model::name_of(source.weights->word_embeddings.dtype))},
      {"packed_for", source.packed ? source.packed->format : ""},
      {"vocabulary", tokenizer->size()},
      {"cpu", Json::array()},
      {"ignored", source.packed ? std::vector<std::string>{} : source.weights->ignored},
      {"files", files_json(folder)}};
  for (const engine::CpuChoice& choice : engine::cpu_choices()) {
    report["cpu"].push_back(
        {{"precision", choice.precision}, {"instructions", choice.instructions}});
  }
  if (list_tensors) report["tensor_list"] = std::move(list);
  return report;
}

std::string shape_text(const Json& shape) {
  std::string text;
  for (const Json& size : shape) text += (text.empty() ? "" : " x ") + size.dump();
  return text;
}

void print(const Json& report) {
  const Json& c = report["config"];
  const auto line = [](const std::string& name, const std::string& value) {
    std::cout << "  " << pad(name, 14) << value << '\n';
  };
  std::cout << report["folder"].get<std::string>() << '\n';
  line("model", "RexUniNLU: DeBERTa-v2 encoder with a rotary token-pair head");
  line("layers", c["layers"].dump());
  line("hidden", c["hidden"].dump() + ", " + c["heads"].dump() + " heads, feed-forward " +
                     c["intermediate"].dump());
  line("vocabulary", report["vocabulary"].dump() + " entries");
  line("parameters", std::to_string(report["parameters"].get<int64_t>() / 1'000) + " thousand in " +
                         report["tensors"].dump() + " tensors, stored as " +
                         report["stored_as"].get<std::string>());
  if (const auto format = report["packed_for"].get<std::string>(); !format.empty())
    line("packed for", format + ", used in place");
  for (const Json& row : report["cpu"])
    line("CPU",
         pad(row["precision"].get<std::string>(), 6) + row["instructions"].get<std::string>());
  for (const auto& [name, bytes] : report["files"].items()) {
    line("file", pad(printable(name, true), 28) + std::to_string(bytes.get<uint64_t>()) + " bytes");
  }
  for (const Json& name : report["ignored"])
    line("ignored", printable(name.get<std::string>(), true));
  if (report.contains("tensor_list")) {
    for (const Json& tensor : report["tensor_list"]) {
      line("tensor", pad(tensor["name"].get<std::string>(), 64) + shape_text(tensor["shape"]));
    }
  }
  line("checks",
       "configuration supported, all tensors present with the right shapes, vocabulary fits");
}

}  // namespace

void register_inspect(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("inspect", "checks a model folder and says what it holds");
  command->footer(kFooter);
  struct Options {
    std::string folder;
    bool tensors = false;
  };
  auto options = std::make_shared<Options>();
  command->add_option("folder", options->folder, "model folder (default: as for analyze --model)");
  command->add_flag("--tensors", options->tensors, "also lists every tensor");
  command->callback([options, &context] {
    const auto report = inspect(model_folder(options->folder), options->tensors);
    if (report && context.json) std::cout << dump(*report, 2) << '\n';
    if (report && !context.json) print(*report);
    context.finish(report ? Result<int>(0) : Result<int>(fail(report.error())));
  });
}

}  // namespace rex::cli
