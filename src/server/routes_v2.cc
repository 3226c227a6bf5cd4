// Open Inference Protocol V2 over HTTP, as KServe and Triton clients speak it. One model for all
// tasks, `rexuninlu`, and one for each task, `rexuninlu-ner` and so on.
#include <algorithm>

#include "server/error_body.h"
#include "server/model_call.h"
#include "server/route.h"

namespace rex::server {
namespace {

constexpr std::string_view kModel = "rexuninlu";

struct Model {
  std::string name;
  const tasks::TaskRow* task = nullptr;  // null: named by the input "task"
};

Result<Model> find_model(const Call& call) {
  const std::string& name = call.path_parts.find("model")->second;
  if (const auto version = call.path_parts.find("version");
      version != call.path_parts.end() && version->second != call.state.settings.model.version) {
    return fail(ErrorCode::kModelUnknown, "there is no version \"" + version->second + "\"",
                "version");
  }
  if (name == kModel) return Model{name, nullptr};
  if (name.starts_with("rexuninlu-")) {
    for (const tasks::TaskRow& row : tasks::kTasks) {
      if (name.substr(kModel.size() + 1) == row.name) return Model{name, &row};
    }
  }
  return fail(ErrorCode::kModelUnknown, "there is no model \"" + name + "\"", "model");
}

Json tensor(std::string_view name, Json shape) {
  return {{"name", name}, {"datatype", "BYTES"}, {"shape", std::move(shape)}};
}

// Strings of an input tensor, flat or nested.
Result<void> flatten(const Json& data, const std::string& place, std::vector<std::string>& out) {
  for (size_t i = 0; i < data.size(); ++i) {
    const std::string here = place + "/" + std::to_string(i);
    if (data[i].is_array()) {
      REX_TRY_VOID(flatten(data[i], here, out));
    } else if (data[i].is_string()) {
      out.push_back(data[i].get<std::string>());
    } else {
      return fail(ErrorCode::kRequestInvalid,
                  "expected a string, found " + std::string(json_kind(data[i])), here);
    }
  }
  return {};
}

using Inputs = std::map<std::string, std::vector<std::string>, std::less<>>;

Result<Inputs> read_inputs(const Json& body, const Model& model) {
  const auto list = body.find("inputs");
  if (list == body.end() || !list->is_array() || list->empty()) {
    return fail(ErrorCode::kRequestInvalid, "expected a list of input tensors", "/inputs");
  }
  Inputs inputs;
  for (size_t i = 0; i < list->size(); ++i) {
    const Json& one = (*list)[i];
    const std::string place = "/inputs/" + std::to_string(i);
    const auto text = [&](const char* name) {
      return one.is_object() && one.contains(name) && one[name].is_string()
                 ? one[name].get<std::string>()
                 : std::string();
    };
    const std::string name = text("name");
    if (name != "text" && name != "schema" && name != "options" &&
        (name != "task" || model.task != nullptr)) {
      return fail(ErrorCode::kRequestInvalid, "there is no input \"" + name + "\"",
                  place + "/name");
    }
    if (text("datatype") != "BYTES") {
      return fail(ErrorCode::kRequestInvalid, "the input is of datatype BYTES",
                  place + "/datatype");
    }
    if (!one.contains("data") || !one["data"].is_array()) {
      return fail(ErrorCode::kRequestInvalid, "expected a list", place + "/data");
    }
    if (!one.contains("shape") || !one["shape"].is_array()) {
      return fail(ErrorCode::kRequestInvalid, "expected a list of sizes", place + "/shape");
    }
    uint64_t elements = 1;
    for (const Json& size : one["shape"]) {
      if (!size.is_number_unsigned() || size.get<uint64_t>() > 1'000'000) {
        return fail(ErrorCode::kRequestInvalid, "expected sizes from 0 to 1000000",
                    place + "/shape");
      }
      elements = std::min<uint64_t>(elements * size.get<uint64_t>(), 1'000'000'000);
    }
    std::vector<std::string> data;
    REX_TRY_VOID(flatten(one["data"], place + "/data", data));
    if (data.size() != elements) {
      return fail(ErrorCode::kRequestInvalid,
                  "the shape has " + std::to_string(elements) + " elements, the data " +
                      std::to_string(data.size()),
                  place + "/data");
    }
    if (!inputs.emplace(name, std::move(data)).second) {
      return fail(ErrorCode::kRequestInvalid, "the input \"" + name + "\" stands twice", place);
    }
  }
  return inputs;
}

// The element for item `i` of `count`: one for all, or one each.
Result<const std::string*> element(const Inputs& inputs, std::string_view name, size_t i,
                                   size_t count) {
  const auto found = inputs.find(name);
  if (found == inputs.end()) return nullptr;
  if (found->second.size() == 1) return &found->second.front();
  if (found->second.size() == count) return &found->second[i];
  return fail(ErrorCode::kRequestInvalid,
              "has " + std::to_string(found->second.size()) + " elements; expected 1 or " +
                  std::to_string(count),
              std::string(name));
}

Result<Json> item_body(const Inputs& inputs, const Json& parameters, size_t i, size_t count) {
  Json body = {{"text", inputs.find("text")->second[i]}};
  REX_TRY(task, element(inputs, "task", i, count));
  if (task != nullptr) body["task"] = *task;
  REX_TRY(schema, element(inputs, "schema", i, count));
  if (schema != nullptr && !schema->empty()) {
    auto json = parse_json(*schema);
    body["schema"] = json ? *std::move(json) : Json(*schema);
  }
  Json options = Json::object();
  REX_TRY(given, element(inputs, "options", i, count));
  if (given != nullptr && !given->empty()) {
    REX_TRY(json, parse_json(*given));
    options = std::move(json);
  }
  for (const char* name : {"timeout_ms", "priority", "precision"}) {
    if (options.is_object() && parameters.is_object() && parameters.contains(name)) {
      options[name] = parameters[name];
    }
  }
  if (!options.is_object() || !options.empty()) body["options"] = std::move(options);
  return body;
}

}  // namespace

Outcome answer_v2(Call& call) {
  return json_response(
      call, {{"name", kModel}, {"version", call.state.version}, {"extensions", Json::array()}});
}

Outcome answer_v2_live(Call& call) {
  return json_response(call, {{"live", true}});
}

Outcome answer_v2_ready(Call& call) {
  const bool ready = call.state.ready && !call.state.draining;
  return json_response(call, {{"live", true}, {"ready", ready}}, ready ? 200 : 503);
}

Outcome answer_v2_model(Call& call) {
  REX_TRY(model, find_model(call));
  Json inputs = {tensor("text", {-1}), tensor("schema", {-1})};
  if (model.task == nullptr) inputs.push_back(tensor("task", {-1}));
  inputs.push_back(tensor("options", {1}));
  return json_response(call,
                       {{"name", model.name},
                        {"versions", {call.state.settings.model.version}},
                        {"platform", call.state.on_gpu() ? "rexuninlu_cuda" : "rexuninlu_cpu"},
                        {"inputs", std::move(inputs)},
                        {"outputs", {tensor("result", {-1})}}});
}

Outcome answer_v2_model_ready(Call& call) {
  REX_TRY(model, find_model(call));
  const bool ready = call.state.ready && !call.state.draining;
  return json_response(call, {{"name", model.name}, {"ready", ready}}, ready ? 200 : 503);
}

Outcome answer_v2_infer(Call& call) {
  REX_TRY(model, find_model(call));
  REX_TRY(body, call.body_json());
  REX_TRY(inputs, read_inputs(body, model));
  const auto texts = inputs.find("text");
  if (texts == inputs.end())
    return fail(ErrorCode::kTextMissing, "the input \"text\" is missing", "/inputs");
  const size_t count = texts->second.size();
  if (count == 0) return fail(ErrorCode::kBatchEmpty, "the input \"text\" is empty", "/inputs");
  const auto most = static_cast<size_t>(call.state.settings.limits.max_batch_texts);
  if (count > most) {
    return fail(ErrorCode::kBatchTooLarge,
                "has " + std::to_string(count) + " texts; allowed are " + std::to_string(most),
                "/inputs");
  }
  const Json parameters = body.contains("parameters") ? body["parameters"] : Json();
  std::vector<Json> results(count);
  std::vector<Prepared> prepared;
  std::vector<size_t> places;
  for (size_t i = 0; i < count; ++i) {
    REX_TRY(item, item_body(inputs, parameters, i, count));
    auto one = prepare(call, std::move(item), model.task);
    if (one) {
      prepared.push_back(*std::move(one));
      places.push_back(i);
    } else {
      results[i] = error_json(one.error(), call.request_id);
    }
  }
  const auto computed = compute(call, prepared);
  for (size_t i = 0; i < computed.size(); ++i) {
    results[places[i]] = computed[i] ? answer_json(call, prepared[i], *computed[i])
                                     : error_json(computed[i].error(), call.request_id);
  }
  Json data = Json::array();
  for (const Json& result : results) data.push_back(dump(result));
  Json answer = {{"model_name", model.name}, {"model_version", call.state.settings.model.version}};
  if (body.contains("id")) answer["id"] = body["id"];
  answer["outputs"] = Json::array(
      {{{"name", "result"}, {"datatype", "BYTES"}, {"shape", {count}}, {"data", std::move(data)}}});
  return json_response(call, answer);
}

}  // namespace rex::server
