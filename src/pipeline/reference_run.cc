#include "pipeline/reference_run.h"

#include <algorithm>

#include "decode/probability.h"
#include "schema/label.h"

namespace rex::pipeline {
namespace {

constexpr std::string_view kClassify = "[CLASSIFY]";
constexpr std::string_view kMultiClassify = "[MULTICLASSIFY]";

bool contains(const std::string& text, std::string_view marker) {
  return text.find(marker) != std::string::npos;
}

// A label of a prefix as the original reports it (D5).
std::string stripped(const std::string& label) {
  auto clean = schema::clean_label(label, {});
  if (clean) return *std::move(clean);
  return clean.error().code == ErrorCode::kLabelEmpty ? std::string() : label;
}

// text[start:end] as Python has it.
std::string slice(const text::CharText& text, int32_t start, int32_t end) {
  end = std::min(end, text.size());
  return start < end ? std::string(text.slice(start, end)) : std::string();
}

}  // namespace

Result<std::unique_ptr<QueryRun>> ReferenceRun::make(
    const RunContext& context, const Query& query,
    std::shared_ptr<const prompt::LabelTree> labels) {
  std::unique_ptr<ReferenceRun> made(new ReferenceRun(context, query, std::move(labels)));
  REX_TRY(text, text::CharText::make(query.text));
  made->answer_.usage.chars = text.size();
  made->text_ = std::make_shared<const text::CharText>(std::move(text));
  REX_TRY(tokens, context.tokenizer.encode(query.text, text::SpecialMatching::kAll));
  made->tokens_ = std::move(tokens);
  return made;
}

ReferenceRun::ReferenceRun(const RunContext& context, const Query& query,
                           std::shared_ptr<const prompt::LabelTree> labels)
    : QueryRun(context, query, std::move(labels)) {
  if (contains(query.text, kClassify)) {  // P4
    single_label_ = true;
    marker_ = kClassify;
    marker_id_ = context.tokenizer.special().classify;
  } else if (contains(query.text, kMultiClassify)) {
    marker_ = kMultiClassify;
    marker_id_ = context.tokenizer.special().multi_classify;
  }
  const auto paths = schema::legal_paths(*query.schema);
  legal_paths_ = {paths.begin(), paths.end()};
}

Result<std::vector<Branch>> ReferenceRun::next_branches() {
  if (!started_) {
    started_ = true;
    return restart();
  }
  if (is_class_text()) close_class_level();
  windows_.clear();
  path_hits_.clear();
  next_keys_.clear();
  std::vector<Branch> next = std::move(next_);
  next_.clear();
  if (!next.empty()) return next;
  if (is_class_text() && answer_.chains.empty() && !fallback_) {  // D26
    fallback_ = true;
    answer_.fallback = true;
    return restart();
  }
  REX_TRY_VOID(final_step());
  return next;
}

Result<std::vector<Branch>> ReferenceRun::restart() {
  if (is_class_text()) {
    REX_TRY(marked, prompt::MarkedText::make(query_.text, context_.tokenizer, marker_, marker_id_));
    marked_ = std::move(marked);
  }
  return std::vector<Branch>{root_branch()};
}

Result<void> ReferenceRun::append_passes(const prompt::Hint& hint) {
  const size_t first = level_.passes.size();
  if (is_class_text()) {
    REX_TRY_VOID(marked_->append_windows(hint, limits_, windows_));
    for (size_t i = first; i < windows_.size(); ++i) level_.passes.push_back(windows_[i].pass);
  } else {
    prompt::append_span_passes(hint, tokens_, limits_, query_.options.stride, level_.passes);
    for (size_t i = first; i < level_.passes.size(); ++i) {
      windows_.push_back({.pass = level_.passes[i], .text = text_});
    }
  }
  for (size_t i = first; i < level_.passes.size(); ++i) level_.passes[i].class_cells = fallback_;
  path_hits_.emplace_back();
  return {};
}

Result<void> ReferenceRun::take(size_t pass, const engine::PassLinks& links, Scratch& scratch) {
  const prompt::Pass& asked = level_.passes[pass];
  const size_t types = asked.hint->types.size();
  if (fallback_) {
    for (size_t k = 0; k < types; ++k) {
      const engine::ClassCells& cells = links.classes[k];
      REX_TRY_VOID(take_hit(pass, {asked.text_begin(), asked.text_begin(), static_cast<int32_t>(k),
                                   cells.marker, cells.marker_to_type, cells.type_to_marker}));
    }
    return {};
  }
  scratch.floors.assign(types, 0.0F);  // M24
  REX_TRY_VOID(link(links, scratch));
  for (const decode::Hit& hit : scratch.hits) REX_TRY_VOID(take_hit(pass, hit));
  return {};
}

Result<void> ReferenceRun::take_hit(size_t pass, const decode::Hit& hit) {
  const prompt::MarkedWindow& window = windows_[pass];
  const auto range = range_of(window, hit);
  if (!range) return {};
  // D15 reads P[tail, head], P[type, head], P[head…tail, type]. For head = tail, which every hit on
  // a marker has, these are the hit's own cells.
  const double confidence = decode::round4(
      decode::mean_of_cells(hit.span_logit, hit.type_tail_logit, hit.head_type_logit));
  const prompt::HintType& type = window.pass.hint->types[static_cast<size_t>(hit.type)];
  const Found found{type,
                    static_cast<size_t>(window.pass.hint - level_.hints.data()),
                    {node_of(type).label, slice(*window.text, range->first, range->second),
                     range->first, range->second, confidence}};
  is_class_text() ? report_class(found) : report_span(found);
  return add_branch(found);
}

// D4, D6, D20. None: the start ran past the end of the text (D7).
std::optional<std::pair<int32_t, int32_t>> ReferenceRun::range_of(
    const prompt::MarkedWindow& window, const decode::Hit& hit) const {
  const auto offset_of = [&](int32_t token) -> std::pair<int32_t, int32_t> {
    if (const text::Token* known = window.pass.token_at(token)) {
      return {known->start + window.shift, known->end + window.shift};
    }
    if (token == window.pass.token_count() - 1) return {0, 0};
    return {window.marker_start, window.marker_start + static_cast<int32_t>(marker_.size())};
  };
  int32_t start = offset_of(hit.head).first;
  while (slice(*window.text, start, start + 1) == " ") ++start;
  if (start >= window.text->size()) return std::nullopt;
  return std::pair{start, offset_of(hit.tail).second};
}

// D5.
void ReferenceRun::report_span(const Found& found) {
  Chain chain = level_.branches[static_cast<size_t>(found.type.ask)].steps;
  for (Step& step : chain) step.label = stripped(step.label);
  chain.push_back(found.step);
  schema::Path path;
  for (const Step& step : chain) path.push_back(step.label);
  if (legal_paths_.contains(path)) answer_.chains.push_back(chain);
  if (!node_of(found.type).is_leaf()) answer_.inner.push_back(std::move(chain));
}

// D14, D17: steps on ordinary text do not count as part of the path.
void ReferenceRun::report_class(const Found& found) {
  if (found.step.span != marker_) return;
  schema::Path path;
  std::vector<double> confidences;
  for (const Step& step : level_.branches[static_cast<size_t>(found.type.ask)].steps) {
    if (step.span != marker_) continue;
    path.push_back(stripped(step.label));
    confidences.push_back(step.confidence);
  }
  path.push_back(found.step.label);
  confidences.push_back(found.step.confidence);
  if (legal_paths_.contains(path)) path_hits_[found.hint].add(path, confidences);
}

// D8, D18.
Result<void> ReferenceRun::add_branch(const Found& found) {
  const prompt::LabelNode& node = node_of(found.type);
  if (node.is_leaf()) return {};
  const Key key{found.type.ask, found.type.label, found.step.start, found.step.end,
                is_class_text() ? found.step.confidence : 0.0};
  if (!next_keys_.insert(key).second) return {};
  const Branch& parent = level_.branches[static_cast<size_t>(found.type.ask)];
  REX_TRY(tokens, context_.tokenizer.encode(found.step.span, text::SpecialMatching::kAll));
  std::vector<int32_t> span_ids;
  for (const text::Token& token : tokens) span_ids.push_back(token.id);
  Branch branch{parent.steps, context_.prefix_ids.extend(parent.ids, node.ids, span_ids),
                node.children};
  branch.steps.push_back(found.step);
  next_.push_back(std::move(branch));
  return {};
}

// D23–D25.
void ReferenceRun::close_class_level() {
  std::vector<Chain> chains;
  for (const decode::PathHits& hits : path_hits_) {
    for (Chain& chain : single_label_ ? hits.best() : hits.all()) {
      chains.push_back(std::move(chain));
    }
  }
  if (single_label_) chains = decode::greatest_sum(std::move(chains));
  for (Chain& chain : chains) {
    for (Step& step : chain) {
      step.span = marker_;
      step.start = 0;
      step.end = static_cast<int32_t>(marker_.size());
    }
    answer_.chains.push_back(std::move(chain));
  }
}

// D28; with both markers in the text the original breaks off here (Q12).
Result<void> ReferenceRun::final_step() {
  if (!is_class_text() || !query_.options.reference_final_step || answer_.chains.empty()) return {};
  if (single_label_ && contains(query_.text, kMultiClassify)) {
    return fail(ErrorCode::kFieldConflict,
                "the text holds both markers, which the original cannot decide (Q12); use the "
                "standard behaviour",
                "behaviour");
  }
  answer_.chains =
      single_label_
          ? decode::choose_one(std::move(answer_.chains))
          : decode::choose_many(
                std::move(answer_.chains),
                [&](const Chain&) { return query_.options.multi_label_threshold; }, false);
  return {};
}

}  // namespace rex::pipeline
