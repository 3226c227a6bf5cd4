// Sentiment: of each aspect (pairs with polarity and a summary), or of the whole text (a class
// question). The level follows from the schema's shape unless the field `level` says it.
#include "tasks/aspects.h"
#include "tasks/class_reading.h"

namespace rex::tasks {
namespace {

void add_summary(Json& result) {
  Json summary = {{"positive", 0}, {"negative", 0}, {"neutral", 0}};
  for (const Json& pair : result["pairs"]) {
    if (!pair.contains("polarity")) continue;
    Json& count = summary[pair["polarity"].get_ref<const std::string&>()];
    count = count.get<int>() + 1;
  }
  result["summary"] = std::move(summary);
}

// {"情感倾向": ["正面", "负面"]}: one group with a list of names asks for the whole text; the same
// tree written with an object asks for aspects.
bool asks_sentence(const Json& schema) {
  if (!schema.is_object()) return true;
  bool nested = false;
  for (const auto& [label, value] : schema.items()) nested |= !value.is_null() && !value.empty();
  return !nested || (schema.size() == 1 && schema.begin()->is_array());
}

Result<bool> is_sentence_level(const TaskRequest& request, const Json& schema) {
  const auto level = request.fields.find("level");
  if (level == request.fields.end()) return asks_sentence(schema);
  if (*level == "sentence") return true;
  if (*level == "aspect") return false;
  return fail(ErrorCode::kOptionRange, "expected \"aspect\" or \"sentence\"", "/level");
}

Result<Work> ask_sentence(const TaskRequest& request, const Json& schema) {
  std::vector<Warning> warnings;
  REX_TRY(text, require_text(request));
  REX_TRY(labels, labels_of_request(request, schema, warnings));
  return ask_single_label(
      std::move(text), std::move(labels), request, std::move(warnings),
      [](const pipeline::Answer&, TaskAnswer& out) {
        const Json& label = out.result["label"];
        const std::string_view polarity =
            label.is_string() ? polarity_of(label.get_ref<const std::string&>()) : "";
        out.result["polarity"] = polarity.empty() ? Json(nullptr) : Json(polarity);
      });
}

}  // namespace

Result<Work> start_sentiment(const TaskRequest& request) {
  REX_TRY(schema, schema_value(request));
  REX_TRY(sentence, is_sentence_level(request, schema));
  if (!sentence) return ask_aspects(request, add_summary);
  const bool given = request.schema.has_value() || !request.labels.empty();
  return ask_sentence(request, given ? schema : Json::array({"正向情感", "负向情感"}));
}

}  // namespace rex::tasks
