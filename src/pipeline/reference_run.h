// The original, step for step, for parity (D1–D29): markers in the text are live and decide the
// kind (P4, T5), nothing is merged or sorted, long class texts grow on the way (D19–D22), and a
// class text without an answer is run again in full (D26). Of the options only max_length, stride,
// multi_label_threshold, reference_final_step and the bounds on work apply.
#pragma once

#include <optional>
#include <set>
#include <tuple>

#include "decode/class_choice.h"
#include "pipeline/query_run.h"
#include "prompt/marked_text.h"

namespace rex::pipeline {

class ReferenceRun final : public QueryRun {
 public:
  // `labels` were compiled with live special tokens. Errors: ENCODING_INVALID.
  static Result<std::unique_ptr<QueryRun>> make(const RunContext& context, const Query& query,
                                                std::shared_ptr<const prompt::LabelTree> labels);

  Result<void> take(size_t pass, const engine::PassLinks& links, Scratch& scratch) override;

 private:
  // A hit with its place in the text.
  struct Found {
    prompt::HintType type;
    size_t hint = 0;
    Step step;
  };
  // Identity of a next level's prefix (D8, D18): branch, label, start, end, confidence of a class
  // text. The span follows from the rest.
  using Key = std::tuple<int32_t, int32_t, int32_t, int32_t, double>;

  ReferenceRun(const RunContext& context, const Query& query,
               std::shared_ptr<const prompt::LabelTree> labels);

  [[nodiscard]] bool is_class_text() const { return !marker_.empty(); }
  Result<std::vector<Branch>> next_branches() override;
  Result<std::vector<Branch>> restart();
  Result<void> append_passes(const prompt::Hint& hint) override;

  Result<void> take_hit(size_t pass, const decode::Hit& hit);
  [[nodiscard]] std::optional<std::pair<int32_t, int32_t>> range_of(
      const prompt::MarkedWindow& window, const decode::Hit& hit) const;
  void report_span(const Found& found);
  void report_class(const Found& found);
  Result<void> add_branch(const Found& found);
  void close_class_level();
  Result<void> final_step();

  bool single_label_ = false;
  std::string marker_;  // of a class text; empty for extraction
  int32_t marker_id_ = 0;
  std::set<schema::Path> legal_paths_;

  std::optional<prompt::MarkedText> marked_;    // class texts
  std::shared_ptr<const text::CharText> text_;  // extraction
  std::vector<text::Token> tokens_;             // extraction
  std::vector<prompt::MarkedWindow> windows_;   // of the level, one for each pass
  std::vector<decode::PathHits> path_hits_;     // of the level, one for each hint
  std::vector<Branch> next_;
  std::set<Key> next_keys_;
  bool started_ = false;
  bool fallback_ = false;
};

}  // namespace rex::pipeline
