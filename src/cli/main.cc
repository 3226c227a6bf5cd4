// rexuninlu: Chinese text understanding from schemas, on the command line.
#include <cstdio>
#include <exception>
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

int run(int argc, char** argv, rex::cli::Context& context) {
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
  }
  return context.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  rex::cli::Context context;
  try {
    return run(argc, argv, context);
  } catch (const std::bad_alloc&) {
    std::fputs("error: not enough memory\n", stderr);
    return rex::row_of(rex::ErrorCode::kMemoryExhausted).exit_code;
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "error: %s; this is a fault of the program; please report it\n",
                 bug.what());
    return rex::row_of(rex::ErrorCode::kInternal).exit_code;
  }
}
