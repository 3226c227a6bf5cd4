// Classification in the standard behaviour: the text as it is, a marker in front of every window,
// every window votes, a label path is asked once (D14–D28 with Q13–Q15, Q18, Q45). On texts of one
// window its answer is the original's.
#pragma once

#include "decode/class_votes.h"
#include "pipeline/query_run.h"

namespace rex::pipeline {

class ClassRun final : public QueryRun {
 public:
  // Errors: ENCODING_INVALID.
  static Result<std::unique_ptr<QueryRun>> make(const RunContext& context, const Query& query,
                                                std::shared_ptr<const prompt::LabelTree> labels);

  Result<void> take(size_t pass, const engine::PassLinks& links, Scratch& scratch) override;

 private:
  ClassRun(const RunContext& context, const Query& query,
           std::shared_ptr<const prompt::LabelTree> labels, int32_t chars,
           std::vector<text::Token> tokens);

  Result<std::vector<Branch>> next_branches() override;
  Result<void> append_passes(const prompt::Hint& hint) override;

  [[nodiscard]] bool counts(const prompt::LabelNode& node) const;
  [[nodiscard]] Step step_of(const prompt::LabelNode& node) const;
  void append_branch(const Branch& parent, const prompt::LabelNode& node,
                     std::vector<Branch>& next) const;
  [[nodiscard]] std::vector<Branch> branches_below() const;
  void begin_fallback();
  void forget_votes(std::span<const prompt::LabelNode> nodes);
  void collect_candidates(std::span<const prompt::LabelNode> nodes, Chain& path,
                          std::vector<Chain>& candidates) const;
  [[nodiscard]] std::vector<Chain> candidates() const;
  void collect_inner(std::span<const prompt::LabelNode> nodes, Chain& path);
  void collect_scores(std::span<const prompt::LabelNode> nodes,
                      std::vector<LabelScore>& by_order) const;
  void answer(std::vector<Chain> candidates);

  std::vector<text::Token> tokens_;
  int32_t marker_;  // id
  float floor_;     // logit that all three cells of a linked label exceed
  decode::ClassVotes votes_;
  bool started_ = false;
  bool fallback_ = false;  // links are ignored, every path is a candidate (D26)
};

}  // namespace rex::pipeline
