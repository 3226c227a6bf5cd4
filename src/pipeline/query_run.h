// One query on its way through the levels of its schema (P14): what to run next, and what the
// links of a pass mean. analyze.cc drives the runs of a call together; the behaviours are
// extraction_run.h, class_run.h and reference_run.h.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "decode/linking.h"
#include "engine/links.h"
#include "pipeline/query.h"
#include "prompt/hint.h"
#include "prompt/label_tree.h"
#include "prompt/limits.h"
#include "prompt/pass.h"
#include "prompt/prefix_ids.h"
#include "text/tokenizer.h"

namespace rex::pipeline {

// What the runs of a call share.
struct RunContext {
  const text::Tokenizer& tokenizer;
  const prompt::PrefixIds& prefix_ids;
  std::function<bool(int64_t)> more_memory = {};  // CallOptions
};

// Working memory of take(), kept between passes and calls.
struct Scratch {
  decode::Linker linker;
  std::vector<decode::Hit> hits;
  std::vector<float> floors;
};

// A prefix of a level (P14): what was found so far and the labels asked below it.
struct Branch {
  Chain steps;
  std::vector<int32_t> ids;  // PrefixIds of the steps
  std::span<const prompt::LabelNode> labels;
};

// One thread.
class QueryRun {
 public:
  virtual ~QueryRun() = default;
  QueryRun(const QueryRun&) = delete;
  QueryRun& operator=(const QueryRun&) = delete;

  // Closes the level whose passes were all taken and opens the next one. No passes: the answer is
  // complete. The passes are valid until the next call.
  // Errors: WORK_TOO_LARGE beyond QueryOptions::max_passes.
  Result<std::span<const prompt::Pass>> next_level();

  // The links of one pass of the level. Passes come in order, each once.
  virtual Result<void> take(size_t pass, const engine::PassLinks& links, Scratch& scratch) = 0;

  [[nodiscard]] Answer take_answer() { return std::move(answer_); }

 protected:
  QueryRun(const RunContext& context, const Query& query,
           std::shared_ptr<const prompt::LabelTree> labels);

  // The prefixes of the next level in the order in which they were found (P5); none: finished.
  virtual Result<std::vector<Branch>> next_branches() = 0;
  // Appends the passes of one hint of level_ to level_.passes.
  virtual Result<void> append_passes(const prompt::Hint& hint) = 0;

  [[nodiscard]] Branch root_branch() const { return {{}, {}, labels_->roots}; }
  [[nodiscard]] const prompt::LabelNode& node_of(const prompt::HintType& type) const {
    return level_.branches[static_cast<size_t>(type.ask)].labels[static_cast<size_t>(type.label)];
  }
  // Links a pass into scratch.hits by scratch.floors.
  // Errors: WORK_TOO_LARGE when the whole query has too many hits, GPU_MEMORY_EXHAUSTED.
  Result<void> link(const engine::PassLinks& links, Scratch& scratch);

  // The level that is running. Hints keep their addresses while it lasts.
  struct Level {
    std::vector<Branch> branches;
    std::vector<prompt::Hint> hints;
    std::vector<prompt::Pass> passes;
  };

  const RunContext& context_;
  const Query& query_;
  std::shared_ptr<const prompt::LabelTree> labels_;
  prompt::PromptLimits limits_;
  std::vector<uint8_t> legal_;  // by LabelNode::order: whether a chain may end there (P2)
  Level level_;
  Answer answer_;

 private:
  void cap_branches(std::vector<Branch>& branches);
  void warn_of_skipped(std::span<const prompt::Skipped> skipped);
  Result<void> open_level(std::vector<Branch> branches);

  // What the price of a request does not foresee: hits and passes beyond the usual.
  Result<void> pay(int64_t bytes);

  size_t hits_ = 0, paid_hits_ = 0;
};

}  // namespace rex::pipeline
