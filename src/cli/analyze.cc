// `rexuninlu analyze`: one text from a flag, a file or standard input, or many from JSON lines.
#include <unistd.h>

#include <iostream>
#include <map>

#include "cli/batch_run.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/render.h"
#include "cli/request_flags.h"
#include "tasks/run.h"

namespace rex::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  rexuninlu analyze --task ner --labels 人物,地理位置 --text '张三去了北京。'\n"
    "  rexuninlu analyze --task relation --schema '{\"组织机构\": [\"董事长(人物)\"]}' --text-file "
    "news.txt\n"
    "  echo '音质很好，发货速度快' | rexuninlu analyze --task sentiment\n"
    "  rexuninlu analyze --task matching --text1 怎么退货 --text2 如何申请退货\n"
    "  rexuninlu analyze --task reading --question 在哪里？ --text-file page.txt --format json\n"
    "  rexuninlu analyze --task ner --labels 人物 --jsonl in.jsonl --out out.jsonl --resume\n"
    "Lines for --jsonl: {\"text\": \"…\"} with any request field, or just \"…\". Bad lines go to\n"
    "OUT.errors.jsonl, the run goes on, and the exit code is 1.\n"
    "Exit codes: 0 good, 1 some lines failed, 64 wrong use, 65 bad data, 66 no such file,\n"
    "69 no memory, 70 fault of the program, 74 file error, 130 interrupted.";

struct Options {
  ModelOptions model;
  RequestFlags request;
  std::string text, text_file, format;
  BatchFiles files{.in = "", .out = "-", .errors = ""};
  int32_t max_text_chars = tasks::RequestLimits{}.max_text_chars;
  bool print_memory_plan = false;
  CLI::Option* text_flag = nullptr;
};

Format format_of(const Options& options, const Context& context) {
  const std::map<std::string, Format> names = {{"text", Format::kText},
                                               {"json", Format::kJson},
                                               {"jsonl", Format::kJsonl},
                                               {"table", Format::kTable}};
  if (!options.format.empty()) return names.at(options.format);
  return context.json ? Format::kJson : Format::kText;
}

// Without the line break that ends a file or an echo; it is no part of the text.
Result<std::string> read_text(const std::string& path) {
  REX_TRY(text, read_input(path));
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

// The text from --text, --text-file or a piped standard input.
Result<std::string> single_text(const Options& options) {
  if (options.text_flag->count() > 0) {
    if (options.text_file.empty()) return options.text;
    return fail(ErrorCode::kFieldConflict, "give either --text or --text-file", "--text-file");
  }
  if (!options.text_file.empty()) return read_text(options.text_file);
  if (options.request.brings_text()) return std::string();
  if (!is_terminal(STDIN_FILENO)) return read_text("-");
  return fail(ErrorCode::kTextMissing, "give --text, --text-file or a text on standard input",
              "--text");
}

Result<int> analyze_one(const Options& options, const Context& context,
                        const tasks::TaskRequest& request, pipeline::Pipeline& pipeline) {
  auto answer = std::move(tasks::run_requests(pipeline, std::span(&request, 1)).front());
  if (!answer) return fail(std::move(answer).error());
  const Format format = format_of(options, context);
  std::cout << render(*answer, request.text, request.id, format, use_colour()) << std::flush;
  if (format == Format::kText || format == Format::kTable) context.warn(answer->warnings);
  return 0;
}

Result<int> analyze_lines(const Options& options, const tasks::TaskRequest& defaults,
                          pipeline::Pipeline& pipeline) {
  REX_TRY(summary, run_batch(pipeline, options.files, defaults));
  std::cerr << summary.answered << " answered, " << summary.failed << " failed";
  if (summary.skipped > 0) std::cerr << ", " << summary.skipped << " done before";
  std::cerr << (summary.interrupted ? "; interrupted, continue with --resume\n" : "\n");
  if (summary.interrupted) return row_of(ErrorCode::kCancelled).exit_code;
  return summary.failed > 0 ? 1 : 0;
}

Result<int> run(const Options& options, const Context& context) {
  REX_TRY(body, options.request.to_body());
  tasks::TaskRequest limits;
  limits.limits.max_text_chars = options.max_text_chars;
  const bool lines = !options.files.in.empty();
  if (!body.contains("task") && lines) body["task"] = "ner";  // each line may name its own
  REX_TRY(request, tasks::read_request(body, limits));
  if (!lines) {
    REX_TRY(text, single_text(options));
    request.text = std::move(text);
    // A request that cannot work is refused before the model is loaded.
    if (auto work = request.task->start(request); !work) return fail(std::move(work).error());
  }
  REX_TRY(pipeline, options.model.open());
  if (options.print_memory_plan) std::cerr << engine::to_text(pipeline->engine().plan());
  return lines ? analyze_lines(options, request, *pipeline)
               : analyze_one(options, context, request, *pipeline);
}

}  // namespace

void register_analyze(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("analyze", "finds what a schema asks for, in one text or many");
  command->footer(kFooter);
  auto options = std::make_shared<Options>();
  options->request.add_to(*command);
  options->text_flag = command->add_option("--text", options->text, "the text");
  command->add_option("--text-file", options->text_file, "a file with the text; -: standard input");
  command->add_option("--format", options->format, "text (default), json, jsonl or table")
      ->check(CLI::IsMember({"text", "json", "jsonl", "table"}));
  command->add_option("--max-text-chars", options->max_text_chars, "longer texts are refused")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  const std::string many = "Many texts";
  command
      ->add_option("--jsonl", options->files.in,
                   "a file of requests, one JSON a line; -: standard input")
      ->group(many);
  command
      ->add_option("--out", options->files.out,
                   "answers, one JSON a line (default: standard output)")
      ->group(many);
  command->add_option("--errors", options->files.errors, "bad lines (default: OUT.errors.jsonl)")
      ->group(many);
  command->add_flag("--resume", options->files.resume, "continue an interrupted run")->group(many);
  command->add_flag("--overwrite", options->files.overwrite, "replace OUT if it exists")
      ->group(many);
  options->model.add_to(*command);
  command->add_flag("--print-memory-plan", options->print_memory_plan,
                    "shows every buffer of the engine");
  command->callback([options, &context] { context.finish(run(*options, context)); });
}

}  // namespace rex::cli
