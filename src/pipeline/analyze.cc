#include "pipeline/analyze.h"

#include <optional>
#include <utility>

#include "core/check.h"
#include "pipeline/make_run.h"
#include "pipeline/options_check.h"
#include "pipeline/packer.h"

namespace rex::pipeline {
namespace {

// What a call needs and the next call can use again.
struct Workspace {
  Workspace(const text::SpecialIds& special, engine::BatchLimits limits)
      : packer(special, limits) {}
  Packer packer;
  engine::LinkLists links;
  Scratch scratch;
};

Error error_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kMemoryExhausted, "no memory left for this query", {}};
  } catch (const std::exception& bug) {
    return {ErrorCode::kInternal, bug.what(), {}};
  }
}

// What all calls share.
struct Shared {
  Shared(std::shared_ptr<const text::Tokenizer> a_tokenizer,
         std::unique_ptr<engine::Engine> an_engine)
      : tokenizer(std::move(a_tokenizer)),
        engine(std::move(an_engine)),
        prefix_ids(prompt::PrefixIds::make(*tokenizer).value()) {}

  std::unique_ptr<Workspace> take_workspace() {
    const std::lock_guard lock(workspace_mutex);
    if (workspaces.empty()) {
      return std::make_unique<Workspace>(tokenizer->special(), engine->info().limits);
    }
    auto workspace = std::move(workspaces.back());
    workspaces.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(workspace_mutex);
    workspaces.push_back(std::move(workspace));
  }

  std::shared_ptr<const text::Tokenizer> tokenizer;
  std::unique_ptr<engine::Engine> engine;
  std::mutex engine_mutex;
  prompt::PrefixIds prefix_ids;
  std::mutex workspace_mutex;
  std::vector<std::unique_ptr<Workspace>> workspaces;
};

// One call of analyze().
class Call {
 public:
  Call(Shared& shared, Workspace& work, std::span<const Query> queries, std::stop_token stop)
      : shared_(shared),
        work_(work),
        stop_(std::move(stop)),
        context_{*shared.tokenizer, shared.prefix_ids},
        slots_(queries.size()) {
    LabelTrees trees(*shared.tokenizer);
    for (size_t i = 0; i < queries.size(); ++i) begin(slots_[i], queries[i], trees);
  }

  [[nodiscard]] bool has_open_queries() const {
    for (const Slot& slot : slots_) {
      if (slot.run) return true;
    }
    return false;
  }

  // The next level of every open query, through common batches.
  void run_level() {
    for (Slot& slot : slots_) {
      if (slot.run) open_level(slot);
    }
    run_batch();
  }

  std::vector<Result<Answer>> results() {
    std::vector<Result<Answer>> results;
    results.reserve(slots_.size());
    for (Slot& slot : slots_) results.push_back(std::move(slot.result));
    return results;
  }

 private:
  struct Slot {
    std::unique_ptr<QueryRun> run;  // null once `result` stands
    Result<Answer> result;
    std::vector<Warning> warnings;  // of the query itself
  };
  struct Origin {  // of a pass in the batch
    Slot* slot = nullptr;
    size_t pass = 0;
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
      for (size_t i = 0; i < passes.size(); ++i) {
        if (!work_.packer.fits(passes[i])) run_batch();
        if (!slot.run) return {};  // that batch failed
        REX_TRY_VOID(work_.packer.add(passes[i]));
        origins_.push_back({&slot, i});
      }
      return {};
    });
  }

  void run_batch() {
    if (stop_.stop_requested()) {
      for (Slot& slot : slots_) {
        if (slot.run) fail_slot(slot, {ErrorCode::kCancelled, "cancelled by the caller", {}});
      }
    } else if (!work_.packer.empty()) {
      if (auto ran = run_engine(); ran) {
        take_links();
      } else {
        for (const Origin& origin : origins_) {
          if (origin.slot->run) fail_slot(*origin.slot, ran.error());
        }
      }
    }
    work_.packer.clear();
    origins_.clear();
  }

  Result<void> run_engine() {
    try {
      const std::lock_guard lock(shared_.engine_mutex);
      return shared_.engine->run(work_.packer.batch(), work_.links);
    } catch (...) {
      return fail(error_of_exception());
    }
  }

  void take_links() {
    for (size_t i = 0; i < origins_.size(); ++i) {
      Slot& slot = *origins_[i].slot;
      if (!slot.run) continue;
      guard(slot,
            [&] { return slot.run->take(origins_[i].pass, work_.links.pass(i), work_.scratch); });
    }
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

  static void fail_slot(Slot& slot, Error error) {
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
  Workspace& work_;
  std::stop_token stop_;
  RunContext context_;
  std::vector<Slot> slots_;
  std::vector<Origin> origins_;
};

}  // namespace

struct Pipeline::Impl : Shared {
  using Shared::Shared;
};

Pipeline::Pipeline(std::shared_ptr<const text::Tokenizer> tokenizer,
                   std::unique_ptr<engine::Engine> engine)
    : impl_(std::make_unique<Impl>(std::move(tokenizer), std::move(engine))) {}

Pipeline::~Pipeline() = default;

std::vector<Result<Answer>> Pipeline::analyze(std::span<const Query> queries,
                                              std::stop_token stop) {
  auto workspace = impl_->take_workspace();
  Call call(*impl_, *workspace, queries, std::move(stop));
  while (call.has_open_queries()) call.run_level();
  impl_->give_back(std::move(workspace));
  return call.results();
}

const engine::Engine& Pipeline::engine() const {
  return *impl_->engine;
}

const text::Tokenizer& Pipeline::tokenizer() const {
  return *impl_->tokenizer;
}

}  // namespace rex::pipeline
