// rexuninlu: Chinese text understanding from schemas, on the command line.
#include <exception>
#include <iostream>
#include <new>

#include "cli/commands.h"

namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  rexuninlu analyze --task ner --schema '[\"人物\", \"地理位置\"]' --text '张三去了北京。'\n"
    "  rexuninlu analyze --task classification --labels 体育,财经 --text '股市今日大涨'\n"
    "  rexuninlu analyze --task ner --labels 人物 --jsonl in.jsonl --out out.jsonl --resume\n"
    "  rexuninlu inspect models/mini\n"
    "  rexuninlu eval dev.jsonl --metrics strict,span\n"
    "`rexuninlu COMMAND --help` shows the options of a command.\n"
    "The model: --model DIR, else $REXUNINLU_MODEL, else the small model of this project.";

int run(int argc, char** argv) {
  rex::cli::Context context;
  CLI::App app{
      "Understands Chinese text by schemas: entities, relations, events, sentiment, classes, …",
      "rexuninlu"};
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_flag("--json", context.json, "answers and errors as JSON");
  app.add_option("--lang", context.lang, "language of messages: en or zh (default: from LANG)")
      ->check(CLI::IsMember({"en", "zh"}));
  for (const rex::cli::Register add : rex::cli::kCommands) add(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& misuse) {
    return context.report({rex::ErrorCode::kUsage, misuse.what(), ""});
  } catch (const std::bad_alloc&) {
    return context.report({rex::ErrorCode::kMemoryExhausted, "not enough memory", ""});
  } catch (const std::exception& bug) {
    return context.report({rex::ErrorCode::kInternal, bug.what(), ""});
  }
  return context.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return run(argc, argv);
}
