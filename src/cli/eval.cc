// `rexuninlu eval FILE`: precision, recall and F1 on a file in the native form (F1–F3, F29–F32).
#include <fstream>
#include <iostream>
#include <optional>

#include "cli/commands.h"
#include "cli/eval_report.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "cli/record_file.h"
#include "eval/metrics.h"
#include "eval/report.h"
#include "eval/sample.h"

namespace rex::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  rexuninlu eval dev.jsonl --metrics strict,span\n"
    "  rexuninlu eval dev.jsonl --behaviour reference --limit 100 --json\n"
    "  rexuninlu eval dev.jsonl --errors mistakes.jsonl --show-errors 5\n"
    "A line: {\"text\": \"…\", \"schema\": {…}, \"info_list\": [[{\"type\": …, \"span\": …, "
    "\"offset\": [a, b]}]]}.\n"
    "Answers of all windows of a text are merged before they are counted.";

constexpr size_t kChunk = 128;
// Texts of samples to show; more are only in the file of errors.
constexpr size_t kMaxShownBytes = size_t{64} << 20;

struct Options {
  ModelOptions model;
  std::string file, metrics = "strict", behaviour = "standard", predictions, errors;
  double threshold = 0.5;
  int64_t limit = 0, show_errors = 0;
};

// Reads, analyses and counts one chunk after another.
class Evaluation {
 public:
  Evaluation(const Options& options, pipeline::Pipeline& pipeline, LineReader input, Tally& tally)
      : options_(options),
        pipeline_(pipeline),
        input_(std::move(input)),
        tally_(tally),
        progress_(input_.total_bytes()) {
    query_.behaviour = options.behaviour == "reference" ? pipeline::Behaviour::kReference
                                                        : pipeline::Behaviour::kStandard;
    query_.threshold = options.threshold;
    if (!options.predictions.empty()) predictions_.open(options.predictions, std::ios::binary);
  }

  // False when interrupted.
  Result<bool> run() {
    if (!options_.predictions.empty() && !predictions_) {
      return fail(ErrorCode::kFileUnwritable, "cannot be written", options_.predictions);
    }
    if (!options_.errors.empty()) {
      REX_TRY(writer, RecordWriter::open(options_.errors, false));
      errors_ = std::move(writer);
    }
    for (bool more = true; more;) {
      REX_TRY(read, read_chunk());
      more = read;
      REX_TRY_VOID(count_chunk());
      if (interrupt_.requested()) return false;
      progress_.update(more ? input_.bytes_read() : std::max<int64_t>(input_.total_bytes(), 1),
                       tally_.samples);
    }
    if (!predictions_.flush() && !options_.predictions.empty()) {
      return fail(ErrorCode::kFileUnwritable, "writing failed", options_.predictions);
    }
    if (errors_) REX_TRY_VOID(errors_->flush());
    return true;
  }

 private:
  [[nodiscard]] std::string here() const {
    return options_.file + " line " + std::to_string(number_) + " ";
  }

  Result<bool> read_chunk() {
    samples_.clear();
    lines_.clear();
    Line line;
    while (samples_.size() < kChunk) {
      if (options_.limit > 0 &&
          tally_.samples + static_cast<int64_t>(samples_.size()) >= options_.limit)
        return false;
      REX_TRY(more, input_.next(line));
      if (!more) return false;
      ++number_;
      if (line.text.find_first_not_of(" \t\r") == std::string::npos) continue;
      auto json = parse_json(line.text);
      if (!json) return fail(std::move(json).error().in(here()));
      auto sample = eval::read_sample(*json, query_);
      if (!sample) return fail(std::move(sample).error().in(here()));
      samples_.push_back(*std::move(sample));
      lines_.push_back(number_);
    }
    return true;
  }

  Result<void> count_chunk() {
    std::vector<pipeline::Query> queries;
    queries.reserve(samples_.size());
    for (const eval::Sample& sample : samples_) queries.push_back(sample.query);
    const auto answers = pipeline_.analyze(queries, interrupt_.token());
    for (size_t i = 0; i < samples_.size(); ++i) {
      number_ = lines_[i];
      if (!answers[i] && answers[i].error().code == ErrorCode::kCancelled) return {};
      if (!answers[i]) return fail(Error(answers[i].error()).in(here()));
      const auto predicted = eval::lists_of(*answers[i], samples_[i].query.kind);
      for (size_t m = 0; m < tally_.metrics.size(); ++m) {
        auto counts = eval::count(tally_.metrics[m], predicted, samples_[i].gold);
        if (!counts) return fail(std::move(counts).error().in(here()));
        tally_.counts[m].add(*counts);
      }
      ++tally_.samples;
      REX_TRY_VOID(report(samples_[i], predicted));
      if (predictions_.is_open()) {
        predictions_ << dump({{"line", number_},
                              {"id", samples_[i].id},
                              {"info_list", lists_json(predicted)}})
                     << '\n';
      }
    }
    return {};
  }

  Result<void> report(const eval::Sample& sample, const std::vector<eval::ItemList>& predicted) {
    auto difference = eval::compare(tally_.metrics.front(), predicted, sample.gold);
    if (!difference) return fail(std::move(difference).error().in(here()));
    tally_.report.add_labels(*difference);
    if (sample.query.kind != pipeline::TextKind::kExtraction)
      tally_.report.add_classes(predicted, sample.gold);
    const bool show =
        std::cmp_less(tally_.shown.size(), options_.show_errors) && shown_bytes_ < kMaxShownBytes;
    if (!difference->has_mistake() || (!show && !errors_)) return {};
    Mistakes mistakes{number_, sample.id, eval::text_of(sample), std::move(difference->missing),
                      std::move(difference->wrong)};
    if (errors_) errors_->write(number_, mistakes_json(mistakes));
    if (!show) return {};
    shown_bytes_ += mistakes.text.size();
    tally_.shown.push_back(std::move(mistakes));
    return {};
  }

  const Options& options_;
  pipeline::Pipeline& pipeline_;
  LineReader input_;
  Tally& tally_;
  Progress progress_;
  Interrupt interrupt_;
  pipeline::QueryOptions query_;
  std::ofstream predictions_;
  std::optional<RecordWriter> errors_;
  size_t shown_bytes_ = 0;
  std::vector<eval::Sample> samples_;
  std::vector<int64_t> lines_;
  int64_t number_ = 0;
};

Result<int> run(const Options& options, const Context& context) {
  Tally tally;
  REX_TRY(metrics, eval::parse_metrics(options.metrics));
  tally.metrics = std::move(metrics);
  tally.counts.resize(tally.metrics.size());
  REX_TRY(input, LineReader::open(options.file));
  REX_TRY(pipeline, options.model.open());
  REX_TRY(complete, Evaluation(options, *pipeline, std::move(input), tally).run());
  if (context.json) {
    Json report = {{"file", options.file}, {"behaviour", options.behaviour}};
    report.update(report_json(tally, options.show_errors > 0));
    std::cout << dump(report, 2) << '\n';
  } else {
    std::cout << report_text(tally, use_colour());
  }
  return complete ? 0 : row_of(ErrorCode::kCancelled).exit_code;
}

}  // namespace

void register_eval(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("eval", "measures precision, recall and F1 on a labelled file");
  command->footer(kFooter);
  auto options = std::make_shared<Options>();
  command->add_option("file", options->file, "labelled samples, one JSON a line; -: standard input")
      ->required();
  command
      ->add_option("--metrics", options->metrics,
                   "strict, span, triplet, trigger, argument; comma-separated")
      ->capture_default_str();
  command->add_option("--behaviour", options->behaviour, "standard or reference")
      ->check(CLI::IsMember({"standard", "reference"}))
      ->capture_default_str();
  command->add_option("--threshold", options->threshold, "probability that a link must exceed")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--limit", options->limit, "only so many samples; 0: all")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--predictions", options->predictions,
                      "a file for the answers, one JSON a line");
  command->add_option("--errors", options->errors,
                      "a file for the samples with mistakes, one JSON a line");
  command->add_option("--show-errors", options->show_errors, "prints so many samples with mistakes")
      ->check(CLI::NonNegativeNumber);
  options->model.add_to(*command);
  command->callback([options, &context] { context.finish(run(*options, context)); });
}

}  // namespace rex::cli
