// `rexuninlu eval FILE`: precision, recall and F1 on a file in the native form (F1–F3, F29–F32).
#include <fstream>
#include <iostream>
#include <numeric>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "cli/terminal_text.h"
#include "eval/metrics.h"
#include "eval/sample.h"

namespace rex::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  rexuninlu eval dev.jsonl --metrics strict,span\n"
    "  rexuninlu eval dev.jsonl --behaviour reference --limit 100 --json\n"
    "A line: {\"text\": \"…\", \"schema\": {…}, \"info_list\": [[{\"type\": …, \"span\": …, "
    "\"offset\": [a, b]}]]}.\n"
    "Answers of all windows of a text are merged before they are counted.";

constexpr size_t kChunk = 128;

struct Options {
  ModelOptions model;
  std::string file, metrics = "strict", behaviour = "standard", predictions;
  double threshold = 0.5;
  int64_t limit = 0;
};

// Counts over the whole file.
struct Tally {
  std::vector<eval::Metric> metrics;
  std::vector<eval::Counts> counts;
  int64_t samples = 0;
};

Json lists_json(const std::vector<eval::ItemList>& lists) {
  Json json = Json::array();
  for (const eval::ItemList& list : lists) {
    Json items = Json::array();
    for (const eval::Item& item : list) {
      items.push_back(
          {{"type", item.type}, {"span", item.span}, {"offset", {item.start, item.end}}});
    }
    json.push_back(std::move(items));
  }
  return json;
}

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
      if (predictions_.is_open()) {
        predictions_ << dump({{"line", number_},
                              {"id", samples_[i].id},
                              {"info_list", lists_json(predicted)}})
                     << '\n';
      }
    }
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
  std::vector<eval::Sample> samples_;
  std::vector<int64_t> lines_;
  int64_t number_ = 0;
};

Json report_json(const Options& options, const Tally& tally) {
  Json metrics = Json::object();
  double f1_sum = 0.0;
  for (size_t m = 0; m < tally.metrics.size(); ++m) {
    const eval::Scores scores = eval::scores_of(tally.counts[m]);
    f1_sum += scores.f1;
    metrics[std::string(name_of(tally.metrics[m]))] = {{"precision", scores.precision},
                                                       {"recall", scores.recall},
                                                       {"f1", scores.f1},
                                                       {"predicted", tally.counts[m].predicted},
                                                       {"gold", tally.counts[m].gold},
                                                       {"correct", tally.counts[m].correct}};
  }
  return {{"file", options.file},
          {"behaviour", options.behaviour},
          {"samples", tally.samples},
          {"f1", f1_sum / static_cast<double>(tally.metrics.size())},  // F31: mean over the metrics
          {"metrics", std::move(metrics)}};
}

void print(const Json& report) {
  std::cout << report["samples"] << " samples\n"
            << pad("metric", 12) << pad("precision", 11) << pad("recall", 9) << pad("F1", 9)
            << "correct / predicted / gold\n";
  for (const auto& [name, row] : report["metrics"].items()) {
    char figures[64];
    std::snprintf(figures, sizeof figures, "%-11.4f%-9.4f%-9.4f", row["precision"].get<double>(),
                  row["recall"].get<double>(), row["f1"].get<double>());
    std::cout << pad(name, 12) << figures << row["correct"] << " / " << row["predicted"] << " / "
              << row["gold"] << '\n';
  }
}

Result<int> run(const Options& options, const Context& context) {
  Tally tally;
  REX_TRY(metrics, eval::parse_metrics(options.metrics));
  tally.metrics = std::move(metrics);
  tally.counts.resize(tally.metrics.size());
  REX_TRY(input, LineReader::open(options.file));
  REX_TRY(pipeline, options.model.open());
  REX_TRY(complete, Evaluation(options, *pipeline, std::move(input), tally).run());
  const Json report = report_json(options, tally);
  if (context.json)
    std::cout << dump(report, 2) << '\n';
  else
    print(report);
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
  options->model.add_to(*command);
  command->callback([options, &context] { context.finish(run(*options, context)); });
}

}  // namespace rex::cli
