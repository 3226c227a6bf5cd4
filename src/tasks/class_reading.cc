#include "tasks/class_reading.h"

#include <algorithm>

#include "schema/label.h"

namespace rex::tasks {

using pipeline::Answer;
using pipeline::TextKind;

namespace {

std::string fill_template(std::string form, const std::string& group, const std::string& label) {
  const auto replace = [&form](std::string_view mark, const std::string& value) {
    for (size_t at = form.find(mark); at != std::string::npos;
         at = form.find(mark, at + value.size())) {
      form.replace(at, mark.size(), value);
    }
  };
  replace("{group}", group);
  replace("{label}", label);
  return form;
}

bool is_flat(const std::vector<schema::Node>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [](const auto& node) { return node.children.empty(); });
}

Result<ClassLabels> with_schema(ClassLabels labels, const TaskRequest& request) {
  std::vector<Warning> ignored;  // the shown labels were checked before
  REX_TRY(schema, flat_schema(labels.asked, request, ignored));
  if (schema->roots.size() != labels.asked.size()) {
    return fail(ErrorCode::kSchemaTaskMismatch, "two labels are asked in the same words",
                "/labels");
  }
  for (size_t i = 0; i < labels.asked.size(); ++i) labels.asked[i] = schema->roots[i].label;
  labels.schema = std::move(schema);
  return labels;
}

}  // namespace

const std::string& ClassLabels::shown_for(const std::string& asked_label) const {
  const auto found = std::find(asked.begin(), asked.end(), asked_label);
  return found == asked.end() ? asked_label : shown[static_cast<size_t>(found - asked.begin())];
}

Result<ClassLabels> labels_of_request(const TaskRequest& request, const Json& schema,
                                      std::vector<Warning>& warnings) {
  REX_TRY(tree, parse_tree(schema, request, warnings));
  const bool grouped = tree.roots.size() == 1 && !tree.roots[0].children.empty();
  const std::vector<schema::Node>& nodes = grouped ? tree.roots[0].children : tree.roots;
  if (!is_flat(nodes)) {
    return fail(ErrorCode::kSchemaTaskMismatch,
                "task " + std::string(request.task->name) +
                    " takes a flat list of labels; for a tree use task hierarchical",
                "/schema");
  }
  const std::string group = grouped ? tree.roots[0].label : "";
  std::string form = request.options.label_template;
  if (form.empty()) form = grouped ? "{group}：{label}" : "{label}";
  ClassLabels labels;
  for (const schema::Node& node : nodes) {
    labels.shown.push_back(node.label);
    labels.asked.push_back(fill_template(form, group, node.label));
  }
  if (!grouped && form == "{label}") {
    labels.schema = std::make_shared<const schema::Schema>(std::move(tree));
    return labels;
  }
  return with_schema(std::move(labels), request);
}

Result<ClassLabels> prefixed_labels(const std::string& prefix,
                                    const std::vector<std::string>& shown,
                                    const TaskRequest& request, std::vector<Warning>& warnings) {
  ClassLabels labels;
  for (size_t i = 0; i < shown.size(); ++i) {
    const std::string place = "/" + std::to_string(i);
    REX_TRY(label, schema::clean_label(shown[i], place));
    if (std::find(labels.shown.begin(), labels.shown.end(), label) != labels.shown.end()) {
      warnings.push_back(
          {"LABEL_DUPLICATE", "label \"" + label + "\" was named before; merged", place});
      continue;
    }
    labels.asked.push_back(prefix + label);
    labels.shown.push_back(std::move(label));
  }
  return with_schema(std::move(labels), request);
}

std::vector<Score> scores_of(const Answer& answer, const ClassLabels& labels) {
  std::vector<Score> scores;
  for (const pipeline::LabelScore& score : answer.scores) {
    if (!score.path.empty())
      scores.push_back({labels.shown_for(score.path.back()), score.confidence});
  }
  if (scores.empty()) {
    for (const pipeline::Chain& chain : answer.chains) {
      if (!chain.empty())
        scores.push_back({labels.shown_for(chain.back().label), chain.back().confidence});
    }
  }
  std::stable_sort(scores.begin(), scores.end(),
                   [](const Score& a, const Score& b) { return a.confidence > b.confidence; });
  return scores;
}

Json scores_json(std::span<const Score> scores, int32_t top_k) {
  if (top_k > 0) scores = scores.first(std::min(scores.size(), static_cast<size_t>(top_k)));
  Json list = Json::array();
  for (const Score& score : scores) {
    list.push_back({{"label", score.label}, {"confidence", score.confidence}});
  }
  return list;
}

void warn_of_weak_choice(const Answer& answer, std::string_view unit, TaskAnswer& out) {
  const std::string none = "no " + std::string(unit);
  if (answer.fallback) {
    out.warnings.push_back(
        {"FALLBACK_CLASS", none + " passed its threshold; the best one was taken", ""});
  } else if (answer.below_threshold) {
    out.warnings.push_back({"LOW_CONFIDENCE",
                            none + " has a confidence above its threshold; the best one was "
                                   "taken, allow_empty would leave it out",
                            ""});
  }
}

void read_single_label(const Answer& answer, const ClassLabels& labels, const TaskRequest& request,
                       TaskAnswer& out) {
  out.chains = answer.chains;
  const bool found = !answer.chains.empty() && !answer.chains[0].empty();
  const double confidence = found ? chain_mean(answer.chains[0]) : 0.0;
  const bool abstained = !found || confidence < request.options.min_confidence;
  out.result["label"] =
      abstained ? Json(nullptr) : Json(labels.shown_for(answer.chains[0].back().label));
  out.result["confidence"] = confidence;
  out.result["fallback"] = answer.fallback;
  if (abstained) out.result["abstained"] = true;
  out.result["scores"] = scores_json(scores_of(answer, labels), request.options.top_k);
  warn_of_weak_choice(answer, "label", out);
}

Work ask_single_label(std::string text, ClassLabels labels, const TaskRequest& request,
                      std::vector<Warning> warnings,
                      std::function<void(const Answer&, TaskAnswer&)> finish) {
  Work work;
  work.queries.push_back(
      make_query(std::move(text), labels.schema, TextKind::kSingleLabel, request));
  work.warnings = std::move(warnings);
  work.read = [labels = std::move(labels), request,
               finish = std::move(finish)](const std::vector<Answer>& answers) -> Result<Reply> {
    TaskAnswer out = begin_answer(request, TextKind::kSingleLabel);
    read_single_label(answers.at(0), labels, request, out);
    if (finish) finish(answers[0], out);
    return Reply(std::move(out));
  };
  return work;
}

}  // namespace rex::tasks
