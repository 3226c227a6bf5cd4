// `rexuninlu train`: hands over to rexuninlu-train, a program of its own because it needs LibTorch.
// Settings of the section `training` of a configuration file come first, options after them.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/commands.h"
#include "config/load.h"

namespace rex::cli {
namespace {

constexpr const char* kProgram = "rexuninlu-train";
constexpr const char* kFooter =
    "What to do (default: tune):\n"
    "  tune      fine-tune a model on train.json(l) and dev.json(l) of a folder\n"
    "  check     read the data and report every bad line; nothing is trained\n"
    "  score     F1 of a model on development files, by the trainer's arithmetic\n"
    "  mix, text, measure: see docs/training.md\n"
    "Options go on to the trainer; `rexuninlu train options` lists them.\n"
    "Examples:\n"
    "  rexuninlu train --model models/mini --data my-data --out my-model\n"
    "  rexuninlu train check --data my-data\n"
    "  rexuninlu train --config config.yaml --epochs 5";

struct Options {
  std::string config;
};

// Beside this program, else on PATH.
std::string find_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && std::filesystem::exists(self.parent_path() / kProgram, error)) {
    return (self.parent_path() / kProgram).string();
  }
  return kProgram;
}

Result<int> train(const Options& options, std::vector<std::string> given) {
  std::vector<std::string> words = {"tune"};
  if (!given.empty() && !given.front().starts_with("--")) {
    words[0] = given.front() == "options" ? "--help" : given.front();
    given.erase(given.begin());
  }
  if (!options.config.empty()) {
    REX_TRY(loaded, config::load({.file = options.config, .environment = {}, .flags = {}}));
    for (const auto& [name, value] : loaded.settings.training_options) {
      words.push_back("--" + name);
      words.push_back(value);
    }
  }
  const bool needs_model = words[0] != "--help" && words[0] != "measure";
  const auto names_model = [](const std::string& word) { return word == "--model"; };
  if (needs_model && std::none_of(words.begin(), words.end(), names_model) &&
      std::none_of(given.begin(), given.end(), names_model)) {
    words.insert(words.end(), {"--model", model_folder("")});
  }
  words.insert(words.end(), given.begin(), given.end());

  std::string program = find_program();
  std::vector<char*> arguments = {program.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(program.c_str(), arguments.data());  // returns only when it fails
  return fail(
      ErrorCode::kFileNotFound,
      std::string("the trainer cannot be started (") + std::strerror(errno) +
          "); it is built by `tools/setup --train && tools/build train`, see docs/training.md",
      kProgram);
}

}  // namespace

void register_train(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("train", "fine-tunes a model on labelled data");
  command->footer(kFooter);
  command->fallthrough(false);  // everything unknown is the trainer's
  command->allow_extras();
  auto options = std::make_shared<Options>();
  command->add_option("--config", options->config,
                      "configuration file whose section `training` holds the options");
  command->callback(
      [command, options, &context] { context.finish(train(*options, command->remaining())); });
}

}  // namespace rex::cli
