// `rexuninlu convert-data`: labelled data between the native form and annotation tools.
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "cli/commands.h"
#include "core/mapped_file.h"
#include "eval/formats/brat.h"
#include "eval/formats/doccano.h"
#include "eval/formats/label_studio.h"
#include "eval/formats/native.h"

namespace rex::cli {
namespace {

namespace formats = eval::formats;
namespace fs = std::filesystem;

constexpr const char* kFooter =
    "native: JSON lines of eval and train. doccano: its JSONL. label-studio: its JSON (not\n"
    "JSON-MIN). brat: a folder of .txt and .ann files.\n"
    "Every record that cannot be read and every annotation that has no place in the other form is\n"
    "reported; nothing is written then, unless --skip-bad leaves them out. Schemas live in the\n"
    "native form alone: a note says when they would not come back.\n"
    "Examples:\n"
    "  rexuninlu convert-data --from doccano --to native admin.jsonl train.jsonl\n"
    "  rexuninlu convert-data --from native --to label-studio dev.jsonl tasks.json\n"
    "  rexuninlu convert-data --from brat --to native --schema schema.json corpus/ train.jsonl\n"
    "  rexuninlu convert-data --from native --to brat --skip-bad dev.jsonl for-brat/";

struct Options {
  std::string from, to, in, out, schema, classes = "auto";
  bool skip_bad = false, overwrite = false;
};

// One line that changes, on a terminal only.
class Stage {
 public:
  Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  void show(const std::string& what) const {
    if (terminal_) std::cerr << "\r\033[K" << what << std::flush;
  }
  ~Stage() { show(""); }

 private:
  bool terminal_ = is_terminal(STDERR_FILENO);
};

// Errors: USAGE for an OUT that is there already, or that no file can be.
Result<void> check_out(const Options& options) {
  for (const auto& [form, path] :
       {std::pair(options.from, options.in), std::pair(options.to, options.out)}) {
    if (form == "brat" && path == "-")
      return fail(ErrorCode::kUsage, "brat's form is a folder; give its path", path);
  }
  if (options.out == "-") return {};
  std::error_code error;
  if (fs::equivalent(options.in, options.out, error))
    return fail(ErrorCode::kUsage, "is the input; give another OUT", options.out);
  const bool is_folder = fs::is_directory(options.out, error);
  const bool is_file = fs::is_regular_file(options.out, error);
  if (options.to == "brat" ? is_file : is_folder) {
    return fail(ErrorCode::kUsage,
                is_file ? "is a file, and brat needs a folder" : "is a folder, and OUT is a file",
                options.out);
  }
  if (!options.overwrite && (is_folder || is_file) && !fs::is_empty(options.out, error))
    return fail(ErrorCode::kUsage, "exists; give --overwrite to replace it", options.out);
  return {};
}

Result<formats::Batch> read(const Options& options) {
  if (options.from == "brat") return formats::read_brat_folder(options.in);
  REX_TRY(text, read_input(options.in));
  if (options.from == "native") return formats::read_native(text);
  if (options.from == "doccano") return formats::read_doccano(text);
  auto batch = formats::read_label_studio(text);
  if (!batch) return fail(std::move(batch).error().in(options.in + " "));
  return batch;
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
  return write_text_file(path, text);
}

// What OUT will hold: one text, or the files of a folder.
struct Output {
  std::string text;
  std::vector<formats::BratFile> files;
};

// What has no place in OUT is told in `batch`.
Result<Output> convert(formats::Batch& batch, const Options& options,
                       const formats::NativeOptions& native) {
  Output output;
  if (options.to == "native") {
    REX_TRY(text, formats::write_native(batch, native));
    output.text = std::move(text);
    return output;
  }
  if (options.from != "native") REX_TRY_VOID(formats::through_native(batch, native));
  if (options.to == "doccano")
    output.text = formats::write_doccano(batch);
  else if (options.to == "label-studio")
    output.text = formats::write_label_studio(batch);
  else
    output.files = formats::brat_files(batch);
  return output;
}

Result<void> write(const Options& options, const Output& output) {
  if (options.to == "brat") return formats::write_brat_folder(output.files, options.out);
  return write_file(options.out, output.text);
}

// One line for a record. The standing advice for samples is about the native form and would mislead
// for others.
void tell_record(Error error, bool native, const Context& context) {
  error.place.erase(error.place.find_last_not_of(' ') + 1);
  if (native || error.code != ErrorCode::kSampleInvalid) {
    (void)context.report(error);
  } else if (context.json) {
    Json json = error_json(error);
    json.erase("hint");
    json.erase("hint_zh");
    std::cerr << dump(json) << '\n';
  } else {
    std::cerr << (context.chinese() ? "错误：" : "error: ") << error.place << ": " << error.message
              << '\n';
  }
}

// What was read: `records`, of which `unreadable` are the first of batch.bad.
struct Counts {
  size_t records = 0, unreadable = 0;
};

void tell(const formats::Batch& batch, Counts counts, const Options& options,
          const Context& context) {
  for (size_t i = 0; i < batch.bad.size(); ++i)
    tell_record(batch.bad[i], options.from == "native" && i < counts.unreadable, context);
  for (const Error& error : batch.lost) tell_record(error, false, context);
  if (context.json) {
    std::cerr << dump({{"records", counts.records},
                       {"bad_records", batch.bad.size()},
                       {"lost_annotations", batch.lost.size()},
                       {"unlabelled", batch.unlabelled},
                       {"warnings", warnings_json(batch.warnings)}})
              << '\n';
    return;
  }
  context.warn(batch.warnings);
  std::cerr << counts.records << " records read";
  if (!batch.bad.empty()) std::cerr << ", " << batch.bad.size() << " bad";
  if (!batch.lost.empty())
    std::cerr << ", " << batch.lost.size() << " annotations cannot be carried";
  if (batch.unlabelled > 0) std::cerr << ", " << batch.unlabelled << " not labelled yet, left out";
  std::cerr << '\n';
}

Result<int> run(const Options& options, const Context& context) {
  if (options.from == options.to)
    return fail(ErrorCode::kFieldConflict, "both sides have the same form", "--to");
  REX_TRY_VOID(check_out(options));
  REX_TRY(native, native_options(options));
  formats::Batch batch;
  Counts counts;
  Output output;
  {
    Stage stage;
    stage.show("reading " + options.in);
    REX_TRY(read_batch, read(options));
    batch = std::move(read_batch);
    counts = {batch.documents.size() + batch.bad.size(), batch.bad.size()};
    if (counts.records == 0) {
      return fail(
          ErrorCode::kSampleInvalid,
          batch.unlabelled > 0 ? "none of its records is labelled yet" : "there is no record in it",
          options.in);
    }
    stage.show("converting " + std::to_string(counts.records) + " records");
    if (!batch.documents.empty()) {
      REX_TRY(converted, convert(batch, options, native));
      output = std::move(converted);
    }
  }
  tell(batch, counts, options, context);
  const bool problems = !(batch.bad.empty() && batch.lost.empty());
  const bool nothing_left =
      batch.documents.empty() || (options.to == "native" && output.text.empty());
  if (nothing_left || (problems && !options.skip_bad)) {
    if (!context.json) {
      std::cerr << (nothing_left ? "nothing was written: no record is left\n"
                                 : "nothing was written; correct what is reported above, or give "
                                   "--skip-bad to leave it out\n");
    }
    return row_of(ErrorCode::kSampleInvalid).exit_code;
  }
  REX_TRY_VOID(write(options, output));
  return 0;
}

}  // namespace

void register_convert_data(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "convert-data", "labelled data between the native form and annotation tools");
  command->footer(kFooter);
  auto options = std::make_shared<Options>();
  const auto forms = CLI::IsMember({"native", "doccano", "label-studio", "brat"});
  command->add_option("--from", options->from, "form of IN: native, doccano, label-studio, brat")
      ->required()
      ->check(forms);
  command->add_option("--to", options->to, "form of OUT, one of the same")
      ->required()
      ->check(forms);
  command->add_option("in", options->in, "file to read; -: standard input; brat: a folder")
      ->required();
  command->add_option("out", options->out, "file to write; -: standard output; brat: a folder")
      ->required();
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
  command->add_flag("--overwrite", options->overwrite,
                    "replace OUT if it exists; brat: files of the same names in it");
  command->callback([options, &context] { context.finish(run(*options, context)); });
}

}  // namespace rex::cli
