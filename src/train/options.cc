#include "train/options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <variant>

namespace rex::train {
namespace {

struct Entry {
  const char* name;
  std::variant<std::string Options::*, double Options::*, int64_t Options::*, bool Options::*> at;
  double low, high;  // of numbers
  const char* help;
};

constexpr double kMost = 1e15;

const std::vector<Entry>& table() {
  using O = Options;
  static const std::vector<Entry> entries = {
      {"model", &O::model, 0, 0, "model folder to start from"},
      {"data", &O::data, 0, 0,
       "folder with train.json(l) and dev.json(l), or files, comma-separated"},
      {"dev", &O::dev, 0, 0, "development files; default: dev.json(l) of the data folder"},
      {"out", &O::out, 0, 0, "folder for the result, the state and the curves"},
      {"names", &O::names, 0, 0, "mix: file of label names of equal meaning, one group a line"},
      {"exclude", &O::exclude, 0, 0, "mix: data sets to leave out, comma-separated"},
      {"factors", &O::factors, 0, 0, "mix: how much more often a set is drawn, set=2,set=0.5"},
      {"device", &O::device, 0, 0, "auto, cpu, cuda or cuda:N"},
      {"precision", &O::precision, 0, 0, "f32 or bf16; auto: bf16 on a GPU"},
      {"loss-cells", &O::loss_cells, 0, 0, "hint_and_text, or all: with padding, as the original"},
      {"dynamic-checkpoint", &O::dynamic_checkpoint, 0, 0,
       "layers computed twice to save memory: memory (as few as the budget allows), task, off"},
      {"task", &O::task, 0, 0,
       "whose list dynamic-checkpoint=task takes: ner, event_extraction, sentiment"},
      {"metrics", &O::metrics, 0, 0,
       "of the development set; the first decides which model is best"},
      {"save-as", &O::save_as, 0, 0, "weights of the result: f32, f16 or bf16"},
      {"schedule", &O::schedule, 0, 0, "after the warm-up: linear (to 0) or constant"},
      {"bad-lines", &O::bad_lines, 0, 0,
       "stop before training, or skip them; they are listed anyway"},
      {"learning-rate", &O::learning_rate, 0, 1, "highest learning rate"},
      {"epochs", &O::epochs, 0, 1e6, "passes over the data"},
      {"warmup-ratio", &O::warmup_ratio, 0, 1, "part of the run in which the learning rate rises"},
      {"weight-decay", &O::weight_decay, 0, 1, "of everything but biases and norms"},
      {"max-grad-norm", &O::max_grad_norm, 0, kMost, "greatest norm of a gradient; 0: any"},
      {"dropout", &O::dropout, 0, 0.9, "of hidden states and attention"},
      {"early-stop", &O::early_stop, 0, 1e6,
       "end after so many evaluations without a better F1; 0: never"},
      {"minutes", &O::minutes, 0, 1e6,
       "stop after so many minutes and keep the state; 0: run to the end"},
      {"for-minutes", &O::for_minutes, 0, 1e6,
       "the whole run lasts so many minutes, over all its parts, instead of steps or epochs"},
      {"batch-size", &O::batch_size, 1, 1 << 20, "rows computed together"},
      {"batch-tokens", &O::batch_tokens, 0, 1 << 24,
       "padded tokens computed together, at most; 0: any"},
      {"accumulation", &O::accumulation, 1, 1 << 16, "batches of one step"},
      {"steps", &O::steps, 0, kMost, "steps of the whole run; 0: by epochs"},
      {"eval-steps", &O::eval_steps, 0, kMost, "steps between evaluations; 0: each epoch"},
      {"dev-limit", &O::dev_limit, 0, kMost,
       "samples of each development file in training; 0: all"},
      {"save-steps", &O::save_steps, 0, kMost, "steps between states on disk; 0: with evaluations"},
      {"memory-budget-mb", &O::memory_budget_mb, 0, 1 << 24,
       "of dynamic-checkpoint=memory; 0: what is free"},
      {"max-length", &O::max_length, 16, 512, "tokens of a window with its prompt"},
      {"stride", &O::stride, 0, 256, "overlap of windows in tokens"},
      {"window", &O::window, 16, 512, "text: tokens of most windows"},
      {"pool", &O::pool, 1, 1 << 24, "mix, text: samples drawn at a time"},
      {"seed", &O::seed, 0, kMost, "of order, variation and dropout"},
      {"threads", &O::threads, 0, 1024, "for preparing data; 0: all cores"},
      {"by-length", &O::by_length, 0, 0, "rows of like length go together"},
      {"random", &O::random, 0, 0, "start from random weights of the model's shape"},
      {"resume", &O::resume, 0, 0, "go on from the state in the out folder"},
  };
  return entries;
}

Failure bad(const std::string& name, const std::string& value, const std::string& wanted) {
  return fail(ErrorCode::kOptionType, "\"" + value + "\" is not " + wanted, "--" + name);
}

Result<double> read_number(const Entry& entry, const std::string& value) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0') return bad(entry.name, value, "a number");
  if (!(number >= entry.low && number <= entry.high)) {
    char range[64];
    std::snprintf(range, sizeof range, "%g to %g are allowed", entry.low, entry.high);
    return fail(ErrorCode::kOptionRange, value + " is out of range; " + range,
                std::string("--") + entry.name);
  }
  return number;
}

Result<void> set(const Entry& entry, const std::string& value, Options& options) {
  if (const auto* text = std::get_if<std::string Options::*>(&entry.at)) {
    options.*(*text) = value;
  } else if (const auto* flag = std::get_if<bool Options::*>(&entry.at)) {
    if (value != "true" && value != "false") return bad(entry.name, value, "true or false");
    options.*(*flag) = value == "true";
  } else {
    REX_TRY(number, read_number(entry, value));
    if (const auto* whole = std::get_if<int64_t Options::*>(&entry.at)) {
      if (number != static_cast<double>(static_cast<int64_t>(number)))
        return bad(entry.name, value, "a whole number");
      options.*(*whole) = static_cast<int64_t>(number);
    } else {
      options.*(std::get<double Options::*>(entry.at)) = number;
    }
  }
  return {};
}

struct Choice {
  const char* name;
  std::string Options::* at;
  std::vector<std::string> allowed;
};

Result<void> check(const Options& options) {
  for (const Choice& choice : {Choice{"precision", &Options::precision, {"auto", "f32", "bf16"}},
                               Choice{"loss-cells", &Options::loss_cells, {"hint_and_text", "all"}},
                               Choice{"save-as", &Options::save_as, {"f32", "f16", "bf16"}},
                               Choice{"bad-lines", &Options::bad_lines, {"stop", "skip"}},
                               Choice{"schedule", &Options::schedule, {"linear", "constant"}}}) {
    const std::string& value = options.*choice.at;
    if (std::find(choice.allowed.begin(), choice.allowed.end(), value) != choice.allowed.end())
      continue;
    std::string names;
    for (const std::string& name : choice.allowed) names += (names.empty() ? "" : ", ") + name;
    return fail(ErrorCode::kOptionRange, "\"" + value + "\" is none of " + names,
                std::string("--") + choice.name);
  }
  REX_TRY_VOID(parse_recompute(options.dynamic_checkpoint));
  return {};
}

}  // namespace

Result<Options> parse_options(std::span<const std::string> words) {
  Options options;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i];
    if (!name.starts_with("--"))
      return fail(ErrorCode::kUsage, "expected --option value, found \"" + name + "\"");
    name.erase(0, 2);
    std::replace(name.begin(), name.end(), '_', '-');
    const auto found = std::find_if(table().begin(), table().end(),
                                    [&](const Entry& entry) { return name == entry.name; });
    if (found == table().end())
      return fail(ErrorCode::kFieldUnknown, "there is no option --" + name + "; --help lists them");
    const bool is_flag = std::holds_alternative<bool Options::*>(found->at);
    std::string value = "true";
    if (i + 1 < words.size() && !(is_flag && words[i + 1].starts_with("--")))
      value = words[++i];
    else if (!is_flag)
      return fail(ErrorCode::kUsage, "a value is missing", "--" + name);
    REX_TRY_VOID(set(*found, value, options));
  }
  REX_TRY_VOID(check(options));
  return options;
}

std::string describe_options() {
  const Options defaults;
  std::string text;
  for (const Entry& entry : table()) {
    std::string value;
    if (const auto* word = std::get_if<std::string Options::*>(&entry.at))
      value = defaults.*(*word);
    else if (const auto* flag = std::get_if<bool Options::*>(&entry.at))
      value = defaults.*(*flag) ? "true" : "false";
    else if (const auto* whole = std::get_if<int64_t Options::*>(&entry.at))
      value = std::to_string(defaults.*(*whole));
    else {
      char number[32];
      std::snprintf(number, sizeof number, "%g", defaults.*(std::get<double Options::*>(entry.at)));
      value = number;
    }
    std::string line = "  --" + std::string(entry.name);
    line.resize(std::max<size_t>(line.size() + 1, 24), ' ');
    text += line + entry.help + (value.empty() ? "" : " (" + value + ")") + "\n";
  }
  return text;
}

}  // namespace rex::train
