// Extraction in the standard behaviour (D1–D12 with Q4–Q8): spans of the text, deduplicated over
// windows, in the order of the text.
#pragma once

#include "decode/span_level.h"
#include "decode/thresholds.h"
#include "pipeline/query_run.h"
#include "text/utf8.h"

namespace rex::pipeline {

class ExtractionRun final : public QueryRun {
 public:
  // Errors: ENCODING_INVALID.
  static Result<std::unique_ptr<QueryRun>> make(const RunContext& context, const Query& query,
                                                std::shared_ptr<const prompt::LabelTree> labels);

  Result<void> take(size_t pass, const engine::PassLinks& links, Scratch& scratch) override;

 private:
  ExtractionRun(const RunContext& context, const Query& query,
                std::shared_ptr<const prompt::LabelTree> labels, text::CharText text,
                std::vector<text::Token> tokens);

  Result<std::vector<Branch>> next_branches() override;
  Result<void> append_passes(const prompt::Hint& hint) override;
  Result<void> report(const decode::FoundSpan& span, std::vector<Branch>& next);

  text::CharText text_;
  std::vector<text::Token> tokens_;
  std::vector<float> floors_;  // by LabelNode::order: the logit that all three links must exceed
  decode::SpanLevel found_;
  bool started_ = false;
};

}  // namespace rex::pipeline
