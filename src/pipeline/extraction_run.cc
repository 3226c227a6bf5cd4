#include "pipeline/extraction_run.h"

#include <algorithm>

#include "decode/probability.h"

namespace rex::pipeline {
namespace {

void assign_floors(const std::vector<prompt::LabelNode>& nodes,
                   const decode::Thresholds& thresholds, std::vector<float>& floors) {
  for (const prompt::LabelNode& node : nodes) {
    floors[static_cast<size_t>(node.order)] = decode::logit_of(thresholds.of(node.path));
    assign_floors(node.children, thresholds, floors);
  }
}

}  // namespace

Result<std::unique_ptr<QueryRun>> ExtractionRun::make(
    const RunContext& context, const Query& query,
    std::shared_ptr<const prompt::LabelTree> labels) {
  REX_TRY(text, text::CharText::make(query.text));
  REX_TRY(tokens, context.tokenizer.encode(query.text));
  return std::unique_ptr<QueryRun>(
      new ExtractionRun(context, query, std::move(labels), std::move(text), std::move(tokens)));
}

ExtractionRun::ExtractionRun(const RunContext& context, const Query& query,
                             std::shared_ptr<const prompt::LabelTree> labels, text::CharText text,
                             std::vector<text::Token> tokens)
    : QueryRun(context, query, std::move(labels)),
      text_(std::move(text)),
      tokens_(std::move(tokens)),
      floors_(static_cast<size_t>(labels_->count)) {
  assign_floors(labels_->roots,
                decode::Thresholds(query.options.threshold, query.options.thresholds), floors_);
  answer_.usage.chars = text_.size();
}

Result<std::vector<Branch>> ExtractionRun::next_branches() {
  std::vector<Branch> next;
  if (!started_) {
    started_ = true;
    if (!tokens_.empty()) next.push_back(root_branch());  // Q23
    return next;
  }
  found_.reduce(query_.options.overlap, query_.options.max_span_num);
  for (const decode::FoundSpan& span : found_.spans()) REX_TRY_VOID(report(span, next));
  found_.clear();
  if (next.empty()) {
    std::sort(answer_.chains.begin(), answer_.chains.end(), decode::text_order);
    std::sort(answer_.inner.begin(), answer_.inner.end(), decode::text_order);
  }
  return next;
}

// D5 and D8: a chain for the answer, and a prefix for the level below.
Result<void> ExtractionRun::report(const decode::FoundSpan& span, std::vector<Branch>& next) {
  const Branch& branch = level_.branches[static_cast<size_t>(span.ask)];
  const prompt::LabelNode& node = branch.labels[static_cast<size_t>(span.label)];
  const std::string_view found = text_.slice(span.start, span.end);
  Chain chain = branch.steps;
  chain.push_back({node.label, std::string(found), span.start, span.end, span.confidence});
  const bool legal = legal_[static_cast<size_t>(node.order)] != 0;
  if (legal || (query_.options.partial_paths && !node.is_leaf())) answer_.chains.push_back(chain);
  if (node.is_leaf()) return {};
  answer_.inner.push_back(chain);
  REX_TRY(tokens, context_.tokenizer.encode(found));
  std::vector<int32_t> span_ids;
  for (const text::Token& token : tokens) span_ids.push_back(token.id);
  next.push_back({std::move(chain), context_.prefix_ids.extend(branch.ids, node.ids, span_ids),
                  node.children});
  return {};
}

Result<void> ExtractionRun::append_passes(const prompt::Hint& hint) {
  const size_t first = level_.passes.size();
  prompt::append_span_passes(hint, tokens_, limits_, query_.options.stride, level_.passes);
  float floor = floors_[static_cast<size_t>(node_of(hint.types.front()).order)];
  for (const prompt::HintType& type : hint.types) {
    floor = std::min(floor, floors_[static_cast<size_t>(node_of(type).order)]);
  }
  for (size_t i = first; i < level_.passes.size(); ++i) level_.passes[i].logit_floor = floor;
  return {};
}

Result<void> ExtractionRun::take(size_t pass, const engine::PassLinks& links, Scratch& scratch) {
  const prompt::Pass& asked = level_.passes[pass];
  scratch.floors.clear();
  for (const prompt::HintType& type : asked.hint->types) {
    scratch.floors.push_back(floors_[static_cast<size_t>(node_of(type).order)]);
  }
  REX_TRY_VOID(link(links, scratch));
  for (const decode::Hit& hit : scratch.hits) {
    const text::Token* head = asked.token_at(hit.head);
    const text::Token* tail = asked.token_at(hit.tail);
    if (!head || !tail) continue;  // the final [SEP] (D6, Q7)
    const prompt::HintType& type = asked.hint->types[static_cast<size_t>(hit.type)];
    const double confidence = decode::round4(
        decode::mean_of_cells(hit.span_logit, hit.head_type_logit, hit.type_tail_logit));
    found_.add({type.ask, type.label, node_of(type).order, head->start, tail->end, confidence});
  }
  return {};
}

}  // namespace rex::pipeline
