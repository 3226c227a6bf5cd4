// `rexuninlu convert-data`: labelled data between the native form and annotation tools.
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "cli/commands.h"
#include "eval/formats/doccano.h"
#include "eval/formats/native.h"

namespace rex::cli {
namespace {

namespace formats = eval::formats;

constexpr const char* kFooter =
    "Every record that cannot be read and every annotation that has no place in the other form is\n"
    "reported; nothing is written then, unless --skip-bad leaves them out. From one tool to "
    "another\n"
    "goes over the native form.\n"
    "Examples:\n"
    "  rexuninlu convert-data --from doccano --to native admin.jsonl train.json\n"
    "  rexuninlu convert-data --from native --to doccano --skip-bad dev.json for-doccano.jsonl\n"
    "  rexuninlu convert-data --from doccano --to native --schema schema.json in.jsonl out.json";

struct Options {
  std::string from, to, in, out, schema, classes = "auto";
  bool skip_bad = false;
};

// One line that changes, on a terminal only.
class Stage {
 public:
  void show(const std::string& what) const {
    if (terminal_) std::cerr << "\r\033[K" << what << std::flush;
  }
  ~Stage() { show(""); }

 private:
  bool terminal_ = is_terminal(STDERR_FILENO);
};

Result<formats::Batch> read(const Options& options) {
  REX_TRY(text, read_input(options.in));
  return options.from == "native" ? formats::read_native(text) : formats::read_doccano(text);
}

Result<formats::NativeOptions> native_options(const Options& options) {
  formats::NativeOptions native;
  if (options.classes != "auto") {
    native.class_kind = options.classes == "single" ? pipeline::TextKind::kSingleLabel
                                                    : pipeline::TextKind::kMultiLabel;
  }
  if (options.schema.empty()) return native;
  REX_TRY(text, read_input(options.schema));
  auto schema = parse_json(text);
  if (!schema) return fail(std::move(schema).error().in(options.schema + " "));
  native.schema = *std::move(schema);
  return native;
}

Result<void> write_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text << std::flush;
    return std::cout ? Result<void>() : fail(ErrorCode::kFileUnwritable, "writing failed", path);
  }
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  return file ? Result<void>() : fail(ErrorCode::kFileUnwritable, "cannot be written", path);
}

// Makes the documents what their native lines say.
Result<void> through_native(formats::Batch& batch, const formats::NativeOptions& options) {
  REX_TRY(lines, formats::write_native(batch, options));
  formats::Batch again = formats::read_native(lines);
  batch.documents = std::move(again.documents);
  for (Error& error : again.lost) batch.lost.push_back(std::move(error));
  for (Error& error : again.bad) batch.bad.push_back(std::move(error));
  return {};
}

void tell(const formats::Batch& batch, size_t records, const Context& context) {
  for (const Error& error : batch.bad) (void)context.report(error);
  for (const Error& error : batch.lost) (void)context.report(error);
  if (context.json) {
    std::cerr << dump({{"records", records},
                       {"bad_records", batch.bad.size()},
                       {"lost_annotations", batch.lost.size()},
                       {"unlabelled", batch.unlabelled}})
              << '\n';
    return;
  }
  std::cerr << records << " records read";
  if (!batch.bad.empty()) std::cerr << ", " << batch.bad.size() << " bad";
  if (!batch.lost.empty())
    std::cerr << ", " << batch.lost.size() << " annotations cannot be carried";
  if (batch.unlabelled > 0) std::cerr << ", " << batch.unlabelled << " not labelled yet, left out";
  std::cerr << '\n';
}

Result<int> run(const Options& options, const Context& context) {
  if (options.from == options.to)
    return fail(ErrorCode::kFieldConflict, "both sides have the same form", "--to");
  REX_TRY(native, native_options(options));
  formats::Batch batch;
  size_t records = 0;
  std::string text;
  {
    Stage stage;
    stage.show("reading " + options.in);
    REX_TRY(read_batch, read(options));
    batch = std::move(read_batch);
    records = batch.documents.size() + batch.bad.size();
    stage.show("converting " + std::to_string(records) + " records");
    if (options.to == "native") {
      REX_TRY(lines, formats::write_native(batch, native));
      text = std::move(lines);
    } else {
      if (options.from != "native") REX_TRY_VOID(through_native(batch, native));
      text = formats::write_doccano(batch);
    }
  }
  tell(batch, records, context);
  if (!options.skip_bad && !(batch.bad.empty() && batch.lost.empty())) {
    std::cerr << "nothing was written; --skip-bad leaves out what is reported above\n";
    return row_of(ErrorCode::kSampleInvalid).exit_code;
  }
  REX_TRY_VOID(write_file(options.out, text));
  return 0;
}

}  // namespace

void register_convert_data(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "convert-data", "labelled data between the native form and annotation tools");
  command->footer(kFooter);
  auto options = std::make_shared<Options>();
  const auto forms = CLI::IsMember({"native", "doccano"});
  command->add_option("--from", options->from, "form of IN: native, doccano")
      ->required()
      ->check(forms);
  command->add_option("--to", options->to, "form of OUT, one of the same")
      ->required()
      ->check(forms);
  command->add_option("in", options->in, "file to read; -: standard input")->required();
  command->add_option("out", options->out, "file to write; -: standard output")->required();
  command->add_option("--schema", options->schema,
                      "a file with the schema of every line (default: all labels of IN)");
  command
      ->add_option("--classes", options->classes,
                   "marker of class texts: single, multi, or auto: single unless a text has "
                   "several classes")
      ->check(CLI::IsMember({"auto", "single", "multi"}))
      ->capture_default_str();
  command->add_flag("--skip-bad", options->skip_bad,
                    "leave out bad records and what OUT cannot hold");
  command->callback([options, &context] { context.finish(run(*options, context)); });
}

}  // namespace rex::cli
