#include "pipeline/query_run.h"

#include <algorithm>
#include <set>

namespace rex::pipeline {
namespace {

// Bounds the memory of a query whose threshold lets nearly everything through.
constexpr size_t kMaxHits = 200'000;

// A hit on its way through levels, chains and the answer's JSON: measured, rounded up. Hits are
// paid for in lots; the first lot and the passes of the first level are in the request's price
// (runtime/estimate.h).
constexpr int64_t kBytesOfHit = 2048;
constexpr size_t kLot = 1024;
constexpr int64_t kBytesOfPass = 4096;

void mark_legal(const std::vector<prompt::LabelNode>& nodes, const std::set<schema::Path>& listed,
                std::vector<uint8_t>& legal) {
  for (const prompt::LabelNode& node : nodes) {
    const bool ends_here = listed.empty() ? node.is_leaf() : listed.contains(node.path);
    legal[static_cast<size_t>(node.order)] = ends_here ? 1 : 0;
    mark_legal(node.children, listed, legal);
  }
}

}  // namespace

QueryRun::QueryRun(const RunContext& context, const Query& query,
                   std::shared_ptr<const prompt::LabelTree> labels)
    : context_(context),
      query_(query),
      labels_(std::move(labels)),
      limits_(prompt::limits_for(query.options.max_length)),
      legal_(static_cast<size_t>(labels_->count)) {
  const auto& listed = query.schema->legal_paths;
  mark_legal(labels_->roots, {listed.begin(), listed.end()}, legal_);
  answer_.usage.labels = labels_->count;
}

Result<std::span<const prompt::Pass>> QueryRun::next_level() {
  // A level whose labels were all skipped has no passes (P13) and is over at once.
  do {
    REX_TRY(branches, next_branches());
    if (branches.empty()) {
      level_ = {};
      break;
    }
    cap_branches(branches);
    REX_TRY_VOID(open_level(std::move(branches)));
  } while (level_.passes.empty());
  return std::span<const prompt::Pass>(level_.passes);
}

void QueryRun::cap_branches(std::vector<Branch>& branches) {
  const auto most = static_cast<size_t>(query_.options.max_prefixes);
  if (branches.size() <= most) return;
  answer_.warnings.push_back({"PREFIXES_CAPPED",
                              "level " + std::to_string(branches.front().steps.size() + 1) +
                                  " has " + std::to_string(branches.size()) +
                                  " prefixes; only the first " + std::to_string(most) +
                                  " were asked (max_prefixes)",
                              ""});
  branches.resize(most);
}

Result<void> QueryRun::open_level(std::vector<Branch> branches) {
  level_ = {};
  level_.branches = std::move(branches);
  std::vector<prompt::Ask> asks;
  asks.reserve(level_.branches.size());
  for (const Branch& branch : level_.branches) asks.push_back({branch.ids, branch.labels});
  prompt::Hints built = prompt::build_hints(asks, limits_, context_.tokenizer.special());
  warn_of_skipped(built.skipped);
  level_.hints = std::move(built.hints);

  Usage& usage = answer_.usage;
  const int32_t passes_before = usage.passes;
  for (const prompt::Hint& hint : level_.hints) {
    const size_t first = level_.passes.size();
    REX_TRY_VOID(append_passes(hint));
    const auto windows = static_cast<int32_t>(level_.passes.size() - first);
    usage.windows = std::max(usage.windows, windows);
    if (windows > query_.options.max_passes - usage.passes) {
      return fail(ErrorCode::kWorkTooLarge, "level " + std::to_string(usage.levels + 1) + " has " +
                                                std::to_string(level_.hints.size()) +
                                                " prompts in " + std::to_string(usage.windows) +
                                                " windows, after " + std::to_string(passes_before) +
                                                " passes of earlier levels; at most " +
                                                std::to_string(query_.options.max_passes) +
                                                " passes are allowed (max_passes)");
    }
    usage.passes += windows;
  }
  if (usage.levels > 0) {
    REX_TRY_VOID(pay(static_cast<int64_t>(level_.passes.size()) * kBytesOfPass));
  }
  for (const prompt::Pass& pass : level_.passes) usage.tokens += pass.token_count();
  usage.prompts += static_cast<int32_t>(level_.hints.size());
  if (!level_.passes.empty()) ++usage.levels;
  return {};
}

void QueryRun::warn_of_skipped(std::span<const prompt::Skipped> skipped) {
  for (const prompt::Skipped& what : skipped) {
    const Branch& branch = level_.branches[static_cast<size_t>(what.ask)];
    const bool all = what.label == prompt::Skipped::kAllLabels;
    const prompt::LabelNode& node = branch.labels[all ? 0 : static_cast<size_t>(what.label)];
    schema::Path path = node.path;
    if (all) path.pop_back();
    if (!all && static_cast<int32_t>(node.ids.size()) >= limits_.item) {
      answer_.warnings.push_back({"LABEL_TOO_LONG",
                                  "the label has " + std::to_string(node.ids.size()) +
                                      " tokens, too many for a prompt; it was not asked",
                                  prompt::pointer_to(path)});
      continue;
    }
    const Step& last = branch.steps.back();
    const std::string what_found = last.start < 0
                                       ? "the path of labels"
                                       : "the answer at chars " + std::to_string(last.start) +
                                             " to " + std::to_string(last.end);
    answer_.warnings.push_back({"PREFIX_TOO_LONG",
                                what_found + " makes a prompt of " +
                                    std::to_string(branch.ids.size()) + " tokens, too long for " +
                                    (all ? "any label" : "this label") + " below it",
                                prompt::pointer_to(path)});
  }
}

Result<void> QueryRun::link(const engine::PassLinks& links, Scratch& scratch) {
  scratch.hits.clear();
  REX_TRY_VOID(scratch.linker.link(links, scratch.floors, kMaxHits - hits_, scratch.hits));
  hits_ += scratch.hits.size();
  for (; paid_hits_ + kLot < hits_; paid_hits_ += kLot) {
    REX_TRY_VOID(pay(static_cast<int64_t>(kLot) * kBytesOfHit));
  }
  return {};
}

Result<void> QueryRun::pay(int64_t bytes) {
  if (!context_.more_memory || context_.more_memory(bytes)) return {};
  return fail(ErrorCode::kGpuMemoryExhausted, "GPU memory exhausted");
}

}  // namespace rex::pipeline
