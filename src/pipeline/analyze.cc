#include "pipeline/analyze.h"

#include <mutex>
#include <optional>
#include <utility>

#include "pipeline/batcher.h"
#include "pipeline/exception_error.h"
#include "pipeline/make_run.h"
#include "pipeline/options_check.h"

namespace rex::pipeline {
namespace {

// Adds the time that it lives to a counter.
class Timed {
 public:
  explicit Timed(int64_t& sum) : sum_(sum) {}
  ~Timed() { sum_ += microseconds(Clock::now() - begin_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  int64_t& sum_;
  Clock::time_point begin_ = Clock::now();
};

// What all calls share.
struct Shared {
  Shared(std::shared_ptr<const text::Tokenizer> a_tokenizer, std::unique_ptr<engine::Engine> engine,
         UnseenTokens unseen)
      : tokenizer(std::move(a_tokenizer)),
        prefix_ids(prompt::PrefixIds::make(*tokenizer).value()),
        batcher(tokenizer->special(), std::move(engine), std::move(unseen)) {}

  std::unique_ptr<Scratch> take_scratch() {
    const std::lock_guard lock(scratch_mutex);
    if (scratches.empty()) return std::make_unique<Scratch>();
    auto scratch = std::move(scratches.back());
    scratches.pop_back();
    return scratch;
  }
  void give_back(std::unique_ptr<Scratch> scratch) {
    const std::lock_guard lock(scratch_mutex);
    scratches.push_back(std::move(scratch));
  }

  std::shared_ptr<const text::Tokenizer> tokenizer;
  prompt::PrefixIds prefix_ids;
  std::mutex scratch_mutex;
  std::vector<std::unique_ptr<Scratch>> scratches;
  Batcher batcher;
};

// One call of analyze().
class Call {
 public:
  Call(Shared& shared, Scratch& scratch, std::span<const Query> queries, const CallOptions& options)
      : shared_(shared),
        scratch_(scratch),
        options_(options),
        context_{*shared.tokenizer, shared.prefix_ids},
        slots_(queries.size()) {
    const Timed timed(report_.tokenize_us);
    LabelTrees trees(*shared.tokenizer);
    for (size_t i = 0; i < queries.size(); ++i) begin(slots_[i], queries[i], trees);
  }

  [[nodiscard]] bool has_open_queries() const {
    for (const Slot& slot : slots_) {
      if (slot.run) return true;
    }
    return false;
  }

  // The next level of every open query.
  void run_level() {
    passes_.clear();
    origins_.clear();
    {
      const Timed timed(report_.tokenize_us);
      for (Slot& slot : slots_) {
        if (slot.run) open_level(slot);
      }
    }
    if (options_.stop.stop_requested()) {
      fail_open({ErrorCode::kCancelled, "cancelled by the caller", {}});
    } else if (!passes_.empty()) {
      compute();
    }
  }

  std::vector<Result<Answer>> results() {
    std::vector<Result<Answer>> results;
    results.reserve(slots_.size());
    for (Slot& slot : slots_) results.push_back(std::move(slot.result));
    return results;
  }

  [[nodiscard]] const CallReport& report() const { return report_; }

 private:
  struct Slot {
    std::unique_ptr<QueryRun> run;  // null once `result` stands
    Result<Answer> result;
    std::vector<Warning> warnings;         // of the query itself
    std::span<const prompt::Pass> passes;  // of the level
    size_t first = 0;                      // the first of them in passes_
    int32_t levels = 0;                    // opened so far
  };

  void begin(Slot& slot, const Query& query, LabelTrees& trees) {
    guard(slot, [&]() -> Result<void> {
      REX_TRY(run, make_run(context_, query, trees));
      slot.warnings = unused_thresholds(query.options, *query.schema);
      slot.run = std::move(run);
      return {};
    });
  }

  void open_level(Slot& slot) {
    guard(slot, [&]() -> Result<void> {
      REX_TRY(passes, slot.run->next_level());
      if (passes.empty()) {
        finish(slot);
        return {};
      }
      slot.passes = passes;
      slot.first = passes_.size();
      ++slot.levels;
      passes_.reserve(passes_.size() + passes.size());
      origins_.reserve(passes_.capacity());
      for (const prompt::Pass& pass : passes) {
        passes_.push_back(&pass);
        origins_.push_back(&slot);
      }
      return {};
    });
  }

  void compute() {
    Batcher::Submission submission(shared_.batcher, passes_, options_);
    submission_ = &submission;
    collect(submission);
    submission_ = nullptr;
  }

  void collect(Batcher::Submission& submission) {
    Clock::time_point waiting_since = Clock::now();
    while (true) {
      auto part = submission.next();
      if (!part) return fail_open(part.error());
      if (!*part) return;
      const FinishedBatch& batch = *(*part)->batch;
      if (batch.passes > 0) {
        report_.queue_us += std::max<int64_t>(0, microseconds(batch.started - waiting_since));
        report_.infer_us += microseconds(batch.finished - std::max(batch.started, waiting_since));
        report_.largest_batch = std::max(report_.largest_batch, batch.passes);
        ++report_.batches;
        waiting_since = batch.finished;
      }
      const Timed timed(report_.decode_us);
      take(**part);
    }
  }

  void take(const BatchPart& part) {
    for (const auto& [pass, error] : part.refused) {
      if (origins_[pass]->run) fail_slot(*origins_[pass], error);
    }
    for (const BatchPart::Place& place : part.places) {
      Slot& slot = *origins_[place.pass];
      if (!slot.run) continue;
      if (!part.batch->outcome) {
        fail_slot(slot, part.batch->outcome.error());
        continue;
      }
      const engine::PassLinks links = part.batch->links.pass(place.in_batch);
      guard(slot, [&] {
        if (options_.trace != nullptr) trace(slot, place.pass, links);
        return slot.run->take(place.pass - slot.first, links, scratch_);
      });
    }
  }

  void trace(const Slot& slot, size_t index, const engine::PassLinks& links) const {
    const prompt::Pass& pass = *passes_[index];
    TracedPass traced;
    traced.query = static_cast<size_t>(&slot - slots_.data());
    traced.level = slot.levels - 1;
    traced.prompt_ids = pass.hint->ids;
    if (pass.window.begin < pass.window.end) {
      traced.start = (*pass.tokens)[static_cast<size_t>(pass.window.begin)].start;
      traced.end = (*pass.tokens)[static_cast<size_t>(pass.window.end) - 1].end;
    }
    traced.spans.assign(links.spans.begin(), links.spans.end());
    traced.heads.assign(links.heads.begin(), links.heads.end());
    traced.tails.assign(links.tails.begin(), links.tails.end());
    traced.classes.assign(links.classes.begin(), links.classes.end());
    options_.trace->push_back(std::move(traced));
  }

  // Whatever goes wrong inside `step` ends this query alone.
  template <class Step>
  void guard(Slot& slot, Step&& step) {
    try {
      if (auto done = step(); !done) fail_slot(slot, std::move(done).error());
    } catch (...) {
      fail_slot(slot, error_of_exception());
    }
  }

  void fail_open(const Error& error) {
    for (Slot& slot : slots_) {
      if (slot.run) fail_slot(slot, error);
    }
  }

  void fail_slot(Slot& slot, Error error) {
    // The run owns the passes, so the batcher lets go of them first.
    if (submission_ != nullptr) submission_->drop(slot.first, slot.first + slot.passes.size());
    slot.result = fail(std::move(error));
    slot.run = nullptr;
  }

  static void finish(Slot& slot) {
    Answer answer = slot.run->take_answer();
    answer.warnings.insert(answer.warnings.begin(), slot.warnings.begin(), slot.warnings.end());
    slot.result = std::move(answer);
    slot.run = nullptr;
  }

  Shared& shared_;
  Scratch& scratch_;
  const CallOptions& options_;
  RunContext context_;
  CallReport report_;
  std::vector<Slot> slots_;
  std::vector<const prompt::Pass*> passes_;    // of the level, all queries one after another
  std::vector<Slot*> origins_;                 // of passes_
  Batcher::Submission* submission_ = nullptr;  // of the level that is being computed
};

}  // namespace

struct Pipeline::Impl : Shared {
  using Shared::Shared;
};

Pipeline::Pipeline(std::shared_ptr<const text::Tokenizer> tokenizer,
                   std::unique_ptr<engine::Engine> engine, UnseenTokens unseen)
    : impl_(std::make_unique<Impl>(std::move(tokenizer), std::move(engine), std::move(unseen))) {}

Pipeline::~Pipeline() = default;

std::vector<Result<Answer>> Pipeline::analyze(std::span<const Query> queries,
                                              const CallOptions& options) {
  auto scratch = impl_->take_scratch();
  Call call(*impl_, *scratch, queries, options);
  while (call.has_open_queries()) call.run_level();
  impl_->give_back(std::move(scratch));
  if (options.report != nullptr) {
    CallReport& sum = *options.report;
    const CallReport& more = call.report();
    sum.tokenize_us += more.tokenize_us;
    sum.queue_us += more.queue_us;
    sum.infer_us += more.infer_us;
    sum.decode_us += more.decode_us;
    sum.batches += more.batches;
    sum.largest_batch = std::max(sum.largest_batch, more.largest_batch);
  }
  return call.results();
}

void Pipeline::set_observer(std::function<void(const BatchReport&)> observer) {
  impl_->batcher.set_observer(std::move(observer));
}

size_t Pipeline::waiting_passes() const {
  return impl_->batcher.waiting_passes();
}

const engine::Engine& Pipeline::engine() const {
  return impl_->batcher.engine();
}

const text::Tokenizer& Pipeline::tokenizer() const {
  return *impl_->tokenizer;
}

}  // namespace rex::pipeline
