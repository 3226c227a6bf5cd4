// Reading comprehension: questions as labels of an extraction, or one question with choices as a
// class question.
#include <algorithm>

#include "schema/label.h"
#include "tasks/class_reading.h"

namespace rex::tasks {
namespace {

Result<std::vector<std::string>> read_list(const Json& value, const std::string& place) {
  std::vector<std::string> strings;
  const Json list = value.is_string() ? Json::array({value}) : value;
  if (!list.is_array() || list.empty()) {
    return fail(ErrorCode::kOptionType, "expected a string or a list of strings", place);
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_string()) {
      return fail(ErrorCode::kOptionType,
                  "expected a string, found " + std::string(json_kind(list[i])),
                  place + "/" + std::to_string(i));
    }
    strings.push_back(list[i].get<std::string>());
  }
  return strings;
}

// {"问题": "…", "段落": "…"} in the schema or beside it: the same as question and text.
TaskRequest open_article_form(TaskRequest request) {
  const auto take = [&request](const Json& from) {
    if (!request.fields.contains("question")) request.fields["question"] = from["问题"];
    if (request.text.empty() && from.contains("段落") && from["段落"].is_string()) {
      request.text = from["段落"].get<std::string>();
    }
  };
  if (request.fields.contains("问题")) take(Json(request.fields));
  if (request.schema && request.schema->is_object() && request.schema->contains("问题") &&
      (*request.schema)["问题"].is_string()) {
    take(Json(*request.schema));
    request.schema.reset();
  }
  return request;
}

// From `question`, `questions`, or the labels of the schema.
Result<std::vector<std::string>> read_questions(const TaskRequest& request,
                                                std::vector<Warning>& warnings) {
  const Json& fields = request.fields;
  if (fields.contains("question") && fields.contains("questions")) {
    return fail(ErrorCode::kFieldConflict, "give either question or questions", "/questions");
  }
  if (fields.contains("question")) return read_list(fields["question"], "/question");
  if (fields.contains("questions")) return read_list(fields["questions"], "/questions");
  if (!request.schema && request.labels.empty()) {
    return fail(ErrorCode::kSchemaMissing, "reading needs a question", "/question");
  }
  REX_TRY(value, schema_value(request));
  REX_TRY(tree, parse_tree(value, request, warnings));
  if (schema::depth(tree) != 1) {
    return fail(ErrorCode::kSchemaTaskMismatch, "questions have no labels below them", "/schema");
  }
  std::vector<std::string> questions;
  for (const schema::Node& node : tree.roots) questions.push_back(node.label);
  return questions;
}

Result<Work> ask_choice(std::string text, const std::string& question, const TaskRequest& request) {
  std::vector<Warning> warnings;
  REX_TRY(choices, read_list(request.fields["choices"], "/choices"));
  REX_TRY(prefix, schema::clean_label(question, "/question"));
  auto labels = prefixed_labels(prefix, choices, request, warnings);
  if (!labels) return fail(std::move(labels).error().in("/choices"));
  for (std::string& choice : choices) choice = schema::clean_label(choice, "").value_or(choice);
  return ask_single_label(
      std::move(text), *std::move(labels), request, std::move(warnings),
      [question, choices](const pipeline::Answer&, TaskAnswer& out) {
        Json result = {{"question", question}, {"choice", out.result["label"]}};
        const auto found = std::find(
            choices.begin(), choices.end(),
            result["choice"].is_string() ? result["choice"].get<std::string>() : std::string());
        result["index"] = found == choices.end() ? Json(nullptr) : Json(found - choices.begin());
        out.result.erase("label");
        result.update(out.result);
        out.result = std::move(result);
      });
}

// Best span of each question, the others as alternatives.
Json answers_json(const pipeline::Answer& answer, const schema::Schema& questions) {
  Json answers = Json::array(), unanswered = Json::array();
  for (const schema::Node& question : questions.roots) {
    std::vector<pipeline::Step> spans;
    for (const pipeline::Chain& chain : answer.chains) {
      if (chain[0].label == question.label) spans.push_back(chain[0]);
    }
    std::stable_sort(spans.begin(), spans.end(),
                     [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
    if (spans.empty()) {
      unanswered.push_back(question.label);
      continue;
    }
    Json item = {{"question", question.label}};
    item.update(span_json(spans[0]));
    item["alternatives"] = Json::array();
    for (size_t i = 1; i < spans.size(); ++i) item["alternatives"].push_back(span_json(spans[i]));
    answers.push_back(std::move(item));
  }
  return {{"answers", std::move(answers)}, {"unanswered", std::move(unanswered)}};
}

}  // namespace

Result<Work> start_reading(const TaskRequest& given) {
  const TaskRequest request = open_article_form(given);
  Work work;
  REX_TRY(text, require_text(request));
  REX_TRY(questions, read_questions(request, work.warnings));
  if (request.fields.contains("choices")) {
    if (questions.size() == 1) return ask_choice(std::move(text), questions[0], request);
    return fail(ErrorCode::kFieldConflict, "choices belong to exactly one question", "/choices");
  }
  REX_TRY(schema, flat_schema(questions, request, work.warnings));
  work.queries.push_back(
      make_query(std::move(text), schema, pipeline::TextKind::kExtraction, request));
  work.read = [schema, request](const std::vector<pipeline::Answer>& answers) -> Result<Reply> {
    TaskAnswer out = begin_answer(request, pipeline::TextKind::kExtraction);
    out.chains = answers.at(0).chains;
    out.result = answers_json(answers[0], *schema);
    warn_if_empty(out);
    return Reply(std::move(out));
  };
  return work;
}

}  // namespace rex::tasks
