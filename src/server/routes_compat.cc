// Forms of other services for the same model, so that their clients work here.
#include <algorithm>

#include "server/model_call.h"
#include "server/route.h"
#include "tasks/work.h"

namespace rex::server {
namespace {

constexpr std::string_view kClassify = "[CLASSIFY]", kMultiClassify = "[MULTICLASSIFY]";

// The original's pipeline knows no task: a marker at the start of the text says what it is.
std::string_view take_marker(Json& body) {
  for (const char* name : {"text", "input"}) {
    const auto text = body.find(name);
    if (text == body.end() || !text->is_string()) continue;
    std::string& value = text->get_ref<std::string&>();
    for (const auto& [marker, task] :
         {std::pair{kClassify, "hierarchical"}, std::pair{kMultiClassify, "hierarchical"}}) {
      if (!value.starts_with(marker)) continue;
      value.erase(0, marker.size());
      if (marker == kMultiClassify) body["multi"] = true;
      return task;
    }
  }
  return "ner";
}

// A schema sent as JSON inside a string.
void unwrap_schema(Json& body) {
  for (const char* name : {"schema", "extraction_schema"}) {
    const auto schema = body.find(name);
    if (schema == body.end() || !schema->is_string()) continue;
    if (auto parsed = parse_json(schema->get_ref<const std::string&>()))
      *schema = *std::move(parsed);
  }
}

bool is_intent(const std::string& label, const Json& intents) {
  if (label.ends_with("意图")) return true;
  return intents.is_array() && std::find(intents.begin(), intents.end(), label) != intents.end();
}

Result<Json> string_list(const Json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end()) return Json::array();
  if (!found->is_array())
    return fail(ErrorCode::kOptionType, "expected a list", std::string("/") + name);
  for (size_t i = 0; i < found->size(); ++i) {
    if (!(*found)[i].is_string()) {
      return fail(ErrorCode::kOptionType, "expected a string",
                  std::string("/") + name + "/" + std::to_string(i));
    }
  }
  return *found;
}

}  // namespace

Outcome answer_predict(Call& call) {
  REX_TRY(body, call.body_json());
  unwrap_schema(body);
  if (!body.contains("task")) body["task"] = take_marker(body);
  REX_TRY(prepared, prepare(call, std::move(body), nullptr));
  REX_TRY(computed, compute(call, prepared));
  return json_response(call, {{"output", tasks::output_json(computed.answer)}});
}

Outcome answer_nlu(Call& call) {
  REX_TRY(body, call.body_json());
  REX_TRY(labels, string_list(body, "labels"));
  REX_TRY(intents, string_list(body, "intents"));
  REX_TRY(slots, string_list(body, "slots"));
  for (const Json& label : labels) {
    const bool intent = is_intent(label.get<std::string>(), intents);
    Json& list = intent ? intents : slots;
    if (std::find(list.begin(), list.end(), label) == list.end()) list.push_back(label);
  }
  if (intents.empty() && slots.empty()) {
    return fail(ErrorCode::kSchemaMissing, "give labels, intents or slots", "/labels");
  }
  Json shared = Json::object();
  for (const char* name : {"text", "input", "options", "strict"}) {
    if (body.contains(name)) shared[name] = body[name];
  }
  std::vector<Prepared> prepared;
  const auto add = [&](const char* task, const Json& list) -> Result<void> {
    if (list.empty()) return {};
    Json one = shared;
    one["task"] = task;
    one["labels"] = list;
    REX_TRY(ready, prepare(call, std::move(one), nullptr));
    prepared.push_back(std::move(ready));
    return {};
  };
  REX_TRY_VOID(add("classification", intents));
  REX_TRY_VOID(add("ner", slots));
  Json answer = {
      {"text", prepared.front().request.text}, {"intent", nullptr}, {"slots", Json::array()}};
  Json output = Json::array();
  for (auto& computed : compute(call, prepared)) {
    if (!computed) return fail(std::move(computed).error());
    const tasks::TaskAnswer& got = computed->answer;
    for (const Json& chain : tasks::output_json(got)) output.push_back(chain);
    if (got.task->id == tasks::TaskId::kClassification) {
      answer["intent"] = {{"name", got.result["label"]}, {"confidence", got.result["confidence"]}};
      continue;
    }
    for (const pipeline::Chain& chain : got.chains) {
      for (const pipeline::Step& step : chain) {
        answer["slots"].push_back({{"name", step.label},
                                   {"value", step.span},
                                   {"start", step.start},
                                   {"end", step.end},
                                   {"confidence", step.confidence}});
      }
    }
  }
  answer["output"] = std::move(output);
  return json_response(call, answer);
}

}  // namespace rex::server
