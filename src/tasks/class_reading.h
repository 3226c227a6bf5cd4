// Class questions: labels as the user knows them and as the model is asked, one query, and the
// reading of its answer. Used by every task that picks labels for a whole text.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tasks/forms.h"

namespace rex::tasks {

// A flat class schema with two spellings of each label, index by index.
struct ClassLabels {
  std::vector<std::string> shown;  // as the user wrote it
  std::vector<std::string> asked;  // as the prompt says it
  SchemaPtr schema;                // of `asked`

  // What the user calls an asked label.
  [[nodiscard]] const std::string& shown_for(const std::string& asked_label) const;
};

// From a request whose schema is flat, or one group with flat labels below it; asked through
// options.label_template, by default "{label}", for a group "{group}：{label}".
// Errors: SCHEMA_TASK_MISMATCH for deeper trees, and those of parse_tree().
Result<ClassLabels> labels_of_request(const TaskRequest& request, const Json& schema,
                                      std::vector<Warning>& warnings);

// Labels behind a common prefix, such as "文本匹配：" or a question.
Result<ClassLabels> prefixed_labels(const std::string& prefix,
                                    const std::vector<std::string>& shown,
                                    const TaskRequest& request, std::vector<Warning>& warnings);

struct Score {
  std::string label;  // shown
  double confidence = 0.0;
};

// Confidences of all labels, best first; equal ones in schema order. In the reference behaviour
// only the chosen labels have one.
std::vector<Score> scores_of(const pipeline::Answer& answer, const ClassLabels& labels);

// [{"label", "confidence"}], at most `top_k` of them (0: all).
Json scores_json(std::span<const Score> scores, int32_t top_k);

// FALLBACK_CLASS or LOW_CONFIDENCE where the best was taken for want of a good one; `unit` is what
// was chosen, "label" or "path".
void warn_of_weak_choice(const pipeline::Answer& answer, std::string_view unit, TaskAnswer& out);

// {"label", "confidence", "fallback", "scores"} with FALLBACK_CLASS as warning; the chosen label
// is the answer's single chain. Below options.min_confidence: label null and "abstained".
void read_single_label(const pipeline::Answer& answer, const ClassLabels& labels,
                       const TaskRequest& request, TaskAnswer& out);

// A task that is one single-label question.
Work ask_single_label(std::string text, ClassLabels labels, const TaskRequest& request,
                      std::vector<Warning> warnings,
                      std::function<void(const pipeline::Answer&, TaskAnswer&)> finish = {});

}  // namespace rex::tasks
