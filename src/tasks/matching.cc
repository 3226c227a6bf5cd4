// Two texts compared, as one class question over "段落1：…；段落2：…". Modes: similar (the words
// of the model's training), nli, custom. `symmetric` also asks with the texts exchanged and
// averages.
#include <algorithm>
#include <optional>

#include "tasks/class_reading.h"

namespace rex::tasks {
namespace {

struct Mode {
  std::string_view name;
  std::string_view prompt;
  std::vector<std::string> labels;
};

struct TextPair {
  std::string first, second;
};

Result<Mode> read_mode(const TaskRequest& request) {
  std::string name = "similar";
  if (const auto field = request.fields.find("mode"); field != request.fields.end()) {
    if (field->is_string())
      name = field->get<std::string>();
    else
      return fail(ErrorCode::kOptionType, "expected a string", "/mode");
  } else if (!request.labels.empty() || request.schema) {
    name = "custom";
  }
  if (name == "similar") return Mode{"similar", "文本匹配：", {"相似", "不相似"}};
  if (name == "nli") return Mode{"nli", "段落2和段落1的关系是：", {"蕴含", "矛盾", "中立"}};
  if (name == "custom") return Mode{"custom", "", {}};
  return fail(ErrorCode::kOptionRange, "expected one of similar, nli, custom", "/mode");
}

Result<std::string> string_field(const Json& value, const std::string& place,
                                 const TaskRequest& request) {
  if (!value.is_string()) {
    return fail(ErrorCode::kTextNotString,
                "expected a string, found " + std::string(json_kind(value)), place);
  }
  return check_text(value.get<std::string>(), place, request);
}

// The pair under any of its names; none when the request has none of them.
Result<std::optional<TextPair>> read_pair(const TaskRequest& request) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"text1", "text2"}, {"premise", "hypothesis"}, {"query", "title"}};
  const Json& fields = request.fields;
  if (const auto pair = fields.find("pair"); pair != fields.end()) {
    if (!pair->is_array() || pair->size() != 2) {
      return fail(ErrorCode::kOptionType, "expected a list of two texts", "/pair");
    }
    REX_TRY(first, string_field((*pair)[0], "/pair/0", request));
    REX_TRY(second, string_field((*pair)[1], "/pair/1", request));
    return TextPair{std::move(first), std::move(second)};
  }
  for (const auto& [one, two] : kNames) {
    if (!fields.contains(one) && !fields.contains(two)) continue;
    for (const char* name : {one, two}) {
      if (!fields.contains(name)) {
        return fail(ErrorCode::kTextMissing, std::string("there is no \"") + name + "\"",
                    std::string("/") + name);
      }
    }
    REX_TRY(first, string_field(fields[one], std::string("/") + one, request));
    REX_TRY(second, string_field(fields[two], std::string("/") + two, request));
    return TextPair{std::move(first), std::move(second)};
  }
  return std::nullopt;
}

std::string paragraphs(const std::string& first, const std::string& second) {
  std::string text("段落1：");
  text += first;
  text += "；段落2：";
  text += second;
  return text;
}

Result<ClassLabels> mode_labels(const Mode& mode, const TaskRequest& request,
                                std::vector<Warning>& warnings) {
  std::string prompt(mode.prompt);
  if (const auto field = request.fields.find("prompt"); field != request.fields.end()) {
    if (!field->is_string()) return fail(ErrorCode::kOptionType, "expected a string", "/prompt");
    prompt = field->get<std::string>();
  }
  if (!request.labels.empty() || request.schema) {
    REX_TRY(value, schema_value(request));
    REX_TRY(labels, labels_of_request(request, value, warnings));
    return prompt.empty() ? labels : prefixed_labels(prompt, labels.shown, request, warnings);
  }
  if (mode.labels.empty()) {
    return fail(ErrorCode::kSchemaMissing, "mode custom needs labels", "/labels");
  }
  return prefixed_labels(prompt, mode.labels, request, warnings);
}

// The mean of two answers to the same labels.
pipeline::Answer average(pipeline::Answer one, const pipeline::Answer& two) {
  for (pipeline::LabelScore& score : one.scores) {
    for (const pipeline::LabelScore& other : two.scores) {
      if (other.path != score.path) continue;
      score.confidence = round4((score.confidence + other.confidence) / 2);
      score.linked = score.linked || other.linked;
    }
  }
  const auto best =
      std::max_element(one.scores.begin(), one.scores.end(),
                       [](const auto& a, const auto& b) { return a.confidence < b.confidence; });
  if (best != one.scores.end() && !best->path.empty()) {
    one.chains = {{pipeline::Step{best->path.back(), "", -1, -1, best->confidence}}};
  }
  one.fallback = one.fallback && two.fallback;
  return one;
}

}  // namespace

Result<Work> start_matching(const TaskRequest& request) {
  Work work;
  REX_TRY(mode, read_mode(request));
  REX_TRY(pair, read_pair(request));
  const bool whole = !pair;
  if (whole && request.text.empty()) {
    return fail(ErrorCode::kTextMissing, "matching needs text1 and text2", "/text1");
  }
  REX_TRY(text, whole ? require_text(request)
                      : Result<std::string>(paragraphs(pair->first, pair->second)));
  const bool symmetric = request.fields.value("symmetric", Json(false)) == Json(true);
  if (symmetric && whole) {
    return fail(ErrorCode::kFieldConflict, "symmetric needs text1 and text2 apart", "/symmetric");
  }
  REX_TRY(labels, mode_labels(mode, request, work.warnings));
  const auto kind = pipeline::TextKind::kSingleLabel;
  work.queries.push_back(make_query(std::move(text), labels.schema, kind, request));
  if (symmetric) {
    work.queries.push_back(
        make_query(paragraphs(pair->second, pair->first), labels.schema, kind, request));
  }
  work.read = [labels = std::move(labels), request, name = std::string(mode.name)](
                  std::vector<pipeline::Answer> answers) -> Result<Reply> {
    TaskAnswer out = begin_answer(request, pipeline::TextKind::kSingleLabel);
    const pipeline::Answer answer =
        answers.size() == 2 ? average(std::move(answers[0]), answers[1]) : std::move(answers.at(0));
    read_single_label(answer, labels, request, out);
    out.result["mode"] = name;
    return Reply(std::move(out));
  };
  return work;
}

}  // namespace rex::tasks
