#include "pipeline/class_run.h"

#include <algorithm>
#include <limits>

#include "decode/class_choice.h"
#include "decode/probability.h"
#include "decode/thresholds.h"
#include "text/utf8.h"

namespace rex::pipeline {

Result<std::unique_ptr<QueryRun>> ClassRun::make(const RunContext& context, const Query& query,
                                                 std::shared_ptr<const prompt::LabelTree> labels) {
  REX_TRY(text, text::CharText::make(query.text));
  REX_TRY(tokens, context.tokenizer.encode(query.text));
  return std::unique_ptr<QueryRun>(
      new ClassRun(context, query, std::move(labels), text.size(), std::move(tokens)));
}

ClassRun::ClassRun(const RunContext& context, const Query& query,
                   std::shared_ptr<const prompt::LabelTree> labels, int32_t chars,
                   std::vector<text::Token> tokens)
    : QueryRun(context, query, std::move(labels)),
      tokens_(std::move(tokens)),
      marker_(query.kind == TextKind::kMultiLabel ? context.tokenizer.special().multi_classify
                                                  : context.tokenizer.special().classify),
      floor_(decode::logit_of(query.options.threshold)),
      votes_(labels_->count) {
  answer_.usage.chars = chars;
}

// Levels of what was linked; when that leads to no answer, levels of everything (D26).
Result<std::vector<Branch>> ClassRun::next_branches() {
  if (!started_) {
    started_ = true;
    return std::vector<Branch>{root_branch()};
  }
  std::vector<Branch> next = branches_below();
  if (!next.empty()) return next;
  std::vector<Chain> found = candidates();
  const bool may_be_empty = query_.kind == TextKind::kMultiLabel && query_.options.allow_empty;
  if (found.empty() && !may_be_empty && !fallback_) {
    begin_fallback();
    for (const prompt::LabelNode& root : labels_->roots) append_branch(root_branch(), root, next);
    if (!next.empty()) return next;
    found = candidates();
  }
  answer(std::move(found));
  return next;
}

// Whether a label was asked and leads on.
bool ClassRun::counts(const prompt::LabelNode& node) const {
  return votes_.asked(node.order) && (fallback_ || votes_.linked(node.order));
}

Step ClassRun::step_of(const prompt::LabelNode& node) const {
  return {.label = node.label, .span = {}, .confidence = votes_.confidence(node.order)};
}

void ClassRun::append_branch(const Branch& parent, const prompt::LabelNode& node,
                             std::vector<Branch>& next) const {
  if (node.is_leaf() || !counts(node)) return;
  Branch branch{parent.steps, context_.prefix_ids.extend(parent.ids, node.ids, {&marker_, 1}),
                node.children};
  branch.steps.push_back(step_of(node));
  next.push_back(std::move(branch));
}

std::vector<Branch> ClassRun::branches_below() const {
  std::vector<Branch> next;
  for (const Branch& branch : level_.branches) {
    for (const prompt::LabelNode& node : branch.labels) append_branch(branch, node, next);
  }
  return next;
}

// Q45: the first level was asked with all its labels, so its votes stand. Deeper prompts will now
// hold more prefixes than before and are asked anew.
void ClassRun::begin_fallback() {
  fallback_ = true;
  answer_.fallback = true;
  for (const prompt::LabelNode& root : labels_->roots) forget_votes(root.children);
}

void ClassRun::forget_votes(std::span<const prompt::LabelNode> nodes) {
  for (const prompt::LabelNode& node : nodes) {
    votes_.reset(node.order);
    forget_votes(node.children);
  }
}

Result<void> ClassRun::append_passes(const prompt::Hint& hint) {
  const size_t first = level_.passes.size();
  prompt::append_class_passes(hint, tokens_, limits_, marker_, level_.passes);
  for (size_t i = first; i < level_.passes.size(); ++i) {
    level_.passes[i].class_cells = true;
    level_.passes[i].logit_floor = std::numeric_limits<float>::infinity();  // no lists
  }
  return {};
}

Result<void> ClassRun::take(size_t pass, const engine::PassLinks& links, Scratch&) {
  const std::vector<prompt::HintType>& types = level_.passes[pass].hint->types;
  for (size_t k = 0; k < types.size(); ++k) {
    votes_.add(node_of(types[k]).order, links.classes[k], floor_);
  }
  return {};
}

void ClassRun::collect_candidates(std::span<const prompt::LabelNode> nodes, Chain& path,
                                  std::vector<Chain>& candidates) const {
  for (const prompt::LabelNode& node : nodes) {
    if (!counts(node)) continue;
    path.push_back(step_of(node));
    const size_t before = candidates.size();
    collect_candidates(node.children, path, candidates);
    const bool ends_early = query_.options.partial_paths && candidates.size() == before;
    if (legal_[static_cast<size_t>(node.order)] != 0 || ends_early) candidates.push_back(path);
    path.pop_back();
  }
}

// The label paths that may be the answer, as the original meets them: level by level (D9).
std::vector<Chain> ClassRun::candidates() const {
  std::vector<Chain> found;
  Chain path;
  collect_candidates(labels_->roots, path, found);
  std::sort(found.begin(), found.end(), [](const Chain& a, const Chain& b) {
    return a.size() != b.size() ? a.size() < b.size() : decode::text_order(a, b);
  });
  return found;
}

void ClassRun::collect_inner(std::span<const prompt::LabelNode> nodes, Chain& path) {
  for (const prompt::LabelNode& node : nodes) {
    if (node.is_leaf() || !votes_.linked(node.order)) continue;
    path.push_back(step_of(node));
    answer_.inner.push_back(path);
    collect_inner(node.children, path);
    path.pop_back();
  }
}

void ClassRun::collect_scores(std::span<const prompt::LabelNode> nodes,
                              std::vector<LabelScore>& by_order) const {
  for (const prompt::LabelNode& node : nodes) {
    if (votes_.asked(node.order)) {
      by_order[static_cast<size_t>(node.order)] = {node.path, votes_.confidence(node.order),
                                                   votes_.linked(node.order)};
    }
    collect_scores(node.children, by_order);
  }
}

void ClassRun::answer(std::vector<Chain> candidates) {
  if (query_.kind == TextKind::kSingleLabel) {
    answer_.chains = decode::choose_one(std::move(candidates));
  } else {
    const decode::Thresholds thresholds(query_.options.multi_label_threshold,
                                        query_.options.thresholds);
    const auto threshold_of = [&](const Chain& chain) {
      schema::Path path;
      for (const Step& step : chain) path.push_back(step.label);
      return thresholds.of(path);
    };
    answer_.chains =
        decode::choose_many(std::move(candidates), threshold_of, query_.options.allow_empty);
    answer_.below_threshold =
        answer_.chains.size() == 1 &&
        !(decode::mean_confidence(answer_.chains[0]) > threshold_of(answer_.chains[0]));
    std::sort(answer_.chains.begin(), answer_.chains.end(), decode::text_order);
  }
  Chain path;
  collect_inner(labels_->roots, path);
  if (!query_.options.all_scores) return;
  std::vector<LabelScore> by_order(static_cast<size_t>(labels_->count));
  collect_scores(labels_->roots, by_order);
  std::copy_if(by_order.begin(), by_order.end(), std::back_inserter(answer_.scores),
               [](const LabelScore& score) { return !score.path.empty(); });
}

}  // namespace rex::pipeline
