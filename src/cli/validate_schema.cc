// `rexuninlu validate-schema`: the canonical form of a schema, what was changed, and what it costs.
#include <iostream>

#include "cli/commands.h"
#include "cli/request_flags.h"
#include "prompt/hint.h"
#include "prompt/label_tree.h"
#include "schema/schema.h"

namespace rex::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  rexuninlu validate-schema --schema '{\"竞赛名称\": [\"主办方\", \"承办方\"]}'\n"
    "  rexuninlu validate-schema --schema-file schema.json --json";

struct Options {
  std::string schema, file, model;
  bool strict = false;
};

struct LevelCost {
  int32_t labels = 0;
  int32_t prompts = 0;  // with one answer above each group of labels
  int32_t longest = 0;  // tokens of the longest label
};

void add_costs(const std::vector<prompt::LabelNode>& nodes, size_t level,
               const text::SpecialIds& special, std::vector<LevelCost>& costs) {
  if (nodes.empty()) return;
  if (costs.size() <= level) costs.resize(level + 1);
  const prompt::Ask ask{{}, nodes};
  costs[level].labels += static_cast<int32_t>(nodes.size());
  costs[level].prompts +=
      static_cast<int32_t>(prompt::build_hints(std::span(&ask, 1), {}, special).hints.size());
  for (const prompt::LabelNode& node : nodes) {
    costs[level].longest = std::max(costs[level].longest, static_cast<int32_t>(node.ids.size()));
    add_costs(node.children, level + 1, special, costs);
  }
}

Result<Json> validate(const Options& options) {
  if (!options.schema.empty() && !options.file.empty()) {
    return fail(ErrorCode::kFieldConflict, "give either --schema or --schema-file",
                "--schema-file");
  }
  REX_TRY(text,
          options.file.empty() ? Result<std::string>(options.schema) : read_input(options.file));
  REX_TRY(tree, schema::parse_schema_text(text, {.strict = options.strict}));
  REX_TRY(tokenizer, text::Tokenizer::load(model_folder(options.model)));
  REX_TRY_VOID(prompt::check_labels(tree, *tokenizer));
  REX_TRY(labels, prompt::compile_labels(tree, *tokenizer, text::SpecialMatching::kOff));
  std::vector<LevelCost> costs;
  add_costs(labels->roots, 0, tokenizer->special(), costs);
  Json levels = Json::array();
  for (const LevelCost& cost : costs) {
    levels.push_back({{"labels", cost.labels},
                      {"prompts", cost.prompts},
                      {"longest_label_tokens", cost.longest}});
  }
  return Json{{"schema", schema::to_json(tree)},
              {"labels", schema::label_count(tree)},
              {"depth", schema::depth(tree)},
              {"levels", std::move(levels)},
              {"warnings", warnings_json(tree.warnings)}};
}

// "1 label", "2 labels".
std::string counted(const Json& count, std::string_view unit) {
  return count.dump() + " " + std::string(unit) + (count == 1 ? "" : "s");
}

void print(const Json& report) {
  std::cout << dump(report["schema"], 2) << '\n'
            << counted(report["labels"], "label") << ", " << counted(report["depth"], "level")
            << '\n';
  size_t level = 0;
  for (const Json& cost : report["levels"]) {
    std::cout << "  level " << ++level << ": " << counted(cost["labels"], "label") << ", "
              << counted(cost["prompts"], "prompt") << ", longest label "
              << counted(cost["longest_label_tokens"], "token") << '\n';
  }
  for (const Json& w : report["warnings"]) {
    std::cout << "  note " << w["param"].get<std::string>() << ": "
              << w["message"].get<std::string>() << '\n';
  }
}

}  // namespace

void register_validate_schema(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("validate-schema",
                                         "checks a schema and shows its canonical form and cost");
  command->footer(kFooter);
  auto options = std::make_shared<Options>();
  command->add_option("--schema", options->schema,
                      "the schema: JSON in any accepted form, or one label");
  command->add_option("--schema-file", options->file, "the same from a file; -: standard input");
  command->add_option("--model", options->model, "model folder, for token counts");
  command->add_flag("--strict", options->strict, "soft problems are errors");
  command->callback([options, &context] {
    const auto report = validate(*options);
    if (report && context.json) std::cout << dump(*report, 2) << '\n';
    if (report && !context.json) print(*report);
    context.finish(report ? Result<int>(0) : Result<int>(fail(report.error())));
  });
}

}  // namespace rex::cli
