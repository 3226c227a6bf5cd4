#include "tasks/forms.h"

#include <algorithm>
#include <cmath>

#include "text/utf8.h"

namespace rex::tasks {

using pipeline::Behaviour;
using pipeline::Chain;
using pipeline::TextKind;

bool is_reference(const TaskRequest& request) {
  return request.options.query.behaviour == Behaviour::kReference;
}

Result<std::string> require_text(const TaskRequest& request) {
  return check_text(request.text, "/text", request);
}

Result<std::string> check_text(std::string text, const std::string& place,
                               const TaskRequest& request) {
  auto chars = text::decode_utf8(text);
  if (!chars) {
    Error error = std::move(chars).error();
    error.place = place + " (" + error.place + ")";
    return fail(std::move(error));
  }
  const auto limit = static_cast<size_t>(request.limits.max_text_chars);
  if (chars->size() > limit) {
    return fail(ErrorCode::kTextTooLong,
                "the text has " + std::to_string(chars->size()) + " chars; the limit is " +
                    std::to_string(limit),
                place);
  }
  const bool blank = chars->find_first_not_of(U" \t\r\n\v\f\u00a0\u3000") == std::u32string::npos;
  if (blank && !is_reference(request)) {
    return fail(ErrorCode::kTextMissing, text.empty() ? "the text is empty" : "the text is blank",
                place);
  }
  return text;
}

Result<Json> schema_value(const TaskRequest& request) {
  if (!request.labels.empty()) return Json(request.labels);
  if (request.schema) {
    const Json& value = *request.schema;
    if (value.is_string()) {
      const std::string& text = value.get_ref<const std::string&>();
      const size_t start = text.find_first_not_of(" \t\r\n");
      if (start != std::string::npos && (text[start] == '{' || text[start] == '[')) {
        auto inner = parse_json(text, {.reject_duplicate_keys = !is_reference(request)});
        if (!inner) return fail(std::move(inner).error().in("/schema "));
        return *std::move(inner);
      }
    }
    return value;
  }
  if (!request.task->default_schema.empty()) return parse_json(request.task->default_schema);
  return fail(ErrorCode::kSchemaMissing,
              "task " + std::string(request.task->name) + " needs a schema", "/schema");
}

Result<schema::Schema> parse_tree(const Json& value, const TaskRequest& request,
                                  std::vector<Warning>& warnings) {
  const char* field = request.labels.empty() ? "/schema" : "/labels";
  const schema::ParseOptions options{.max_depth = request.limits.max_depth,
                                     .max_labels = request.limits.max_labels,
                                     .strict = request.strict};
  Result<schema::Schema> tree = fail(ErrorCode::kSchemaBadValue, "");
  if (is_reference(request)) tree = schema::parse_schema(value, {.reference = true});
  const bool other_form = !tree && tree.error().code == ErrorCode::kSchemaBadValue;
  if (other_form) tree = schema::parse_schema(value, options);
  if (!tree) return fail(std::move(tree).error().in(field));
  tree->legal_paths = request.legal_paths;
  for (Warning& warning : tree->warnings) {
    warning.place.insert(0, field);
    warnings.push_back(std::move(warning));
  }
  tree->warnings.clear();
  return *std::move(tree);
}

Result<SchemaPtr> flat_schema(const std::vector<std::string>& labels, const TaskRequest& request,
                              std::vector<Warning>& warnings) {
  REX_TRY(tree, parse_tree(Json(labels), request, warnings));
  return std::make_shared<const schema::Schema>(std::move(tree));
}

pipeline::Query make_query(std::string text, SchemaPtr schema, TextKind kind,
                           const TaskRequest& request) {
  pipeline::Query query;
  query.options = request.options.query;
  if (request.options.threshold) {
    (kind == TextKind::kMultiLabel ? query.options.multi_label_threshold
                                   : query.options.threshold) = *request.options.threshold;
  }
  if (is_reference(request) && kind == TextKind::kSingleLabel) text.insert(0, "[CLASSIFY]");
  if (is_reference(request) && kind == TextKind::kMultiLabel) text.insert(0, "[MULTICLASSIFY]");
  query.text = std::move(text);
  query.schema = std::move(schema);
  query.kind = kind;
  return query;
}

TaskAnswer begin_answer(const TaskRequest& request, TextKind kind) {
  TaskAnswer answer;
  answer.task = request.task;
  answer.with_confidence = !is_reference(request) || (kind != TextKind::kExtraction &&
                                                      !request.options.query.reference_final_step);
  answer.result = Json::object();
  return answer;
}

void warn_if_empty(TaskAnswer& answer) {
  if (!answer.chains.empty()) return;
  answer.warnings.push_back(
      {"RESULT_EMPTY",
       "nothing was found; other words for the labels or a lower threshold may help", ""});
}

Json span_json(const pipeline::Step& step, std::string_view label) {
  Json object = Json::object();
  if (!label.empty()) object["label"] = label;
  object["text"] = step.span;
  object["start"] = step.start;
  object["end"] = step.end;
  object["confidence"] = step.confidence;
  return object;
}

TypedLabel split_label(std::string_view label) {
  for (const auto& [open, close] :
       {std::pair<std::string_view, std::string_view>{"(", ")"}, {"（", "）"}}) {
    const size_t begin = label.find(open);
    if (begin == std::string_view::npos || begin == 0 || !label.ends_with(close)) continue;
    const size_t inner = begin + open.size();
    return {std::string(label.substr(0, begin)),
            std::string(label.substr(inner, label.size() - close.size() - inner))};
  }
  return {std::string(label), ""};
}

double round4(double value) {
  return std::round(value * 1e4) / 1e4;
}

double chain_product(const Chain& chain) {
  double product = 1.0;
  for (const pipeline::Step& step : chain) product *= step.confidence;
  return round4(product);
}

double chain_mean(const Chain& chain) {
  double sum = 0.0;
  for (const pipeline::Step& step : chain) sum += step.confidence;
  return chain.empty() ? 0.0 : round4(sum / static_cast<double>(chain.size()));
}

Json output_json(const TaskAnswer& answer) {
  Json output = Json::array();
  for (const Chain& chain : answer.chains) {
    Json steps = Json::array();
    for (const pipeline::Step& step : chain) {
      const bool placed = step.start >= 0;
      Json item = {{"type", step.label},
                   {"span", placed ? Json(step.span) : Json(nullptr)},
                   {"offset", placed ? Json::array({step.start, step.end}) : Json(nullptr)}};
      if (answer.with_confidence) item["confidence"] = step.confidence;
      steps.push_back(std::move(item));
    }
    output.push_back(std::move(steps));
  }
  return output;
}

Json to_json(const TaskAnswer& answer) {
  const pipeline::Usage& u = answer.usage;
  return {{"task", answer.task->name},
          {"output", output_json(answer)},
          {"result", answer.result},
          {"usage",
           {{"chars", u.chars},
            {"tokens", u.tokens},
            {"labels", u.labels},
            {"prompts", u.prompts},
            {"windows", u.windows},
            {"passes", u.passes},
            {"levels", u.levels}}},
          {"warnings", warnings_json(answer.warnings)}};
}

}  // namespace rex::tasks
