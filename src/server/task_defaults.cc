#include "server/task_defaults.h"

#include <algorithm>

namespace rex::server {
namespace {

// `options` of the body, null when absent or no object (the task reports that).
Json* options_of(Json& body) {
  const auto found = body.find("options");
  return found != body.end() && found->is_object() ? &*found : nullptr;
}

// Removes a member and returns it; null when absent.
Json take(Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return nullptr;
  Json value = std::move(*found);
  object.erase(name);
  return value;
}

Result<int64_t> whole_number(const Json& value, const char* name, int64_t low, int64_t high) {
  const std::string place = std::string("/options/") + name;
  if (!value.is_number_integer()) {
    return fail(ErrorCode::kOptionType,
                "expected a whole number, found " + std::string(json_kind(value)), place);
  }
  const double number = value.get<double>();
  if (number < static_cast<double>(low) || number > static_cast<double>(high)) {
    return fail(ErrorCode::kOptionRange,
                "is " + value.dump() + "; allowed are " + std::to_string(low) + " to " +
                    std::to_string(high),
                place);
  }
  return value.get<int64_t>();
}

Result<void> take_include(const Json& value, ServiceOptions& options) {
  if (value.is_null()) return {};
  if (!value.is_array()) {
    return fail(ErrorCode::kOptionType, "expected a list of words", "/options/include");
  }
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] == "timing") {
      options.timing = true;
    } else if (value[i] != "confidence" && value[i] != "offset") {
      return fail(ErrorCode::kOptionRange, "expected one of timing, confidence, offset",
                  "/options/include/" + std::to_string(i));
    }
  }
  return {};
}

// "fp32" and "f32" are the same.
Result<void> check_precision(const Call& call, const Json& value) {
  if (value.is_null()) return {};
  const std::string& have = call.state.pipeline->engine().info().precision;
  std::string want = value.is_string() ? value.get<std::string>() : "";
  if (want.starts_with("fp")) want.erase(1, 1);
  if (want == "auto" || want == have) return {};
  return fail(value.is_string() ? ErrorCode::kOptionRange : ErrorCode::kOptionType,
              "this server computes in " + have + "; send auto or " + have, "/options/precision");
}

// Options that other servers of this model know and that change nothing here.
void drop_without_effect(Json& options, std::vector<Warning>& warnings) {
  for (const char* name : {"num_beams", "return_all_spans", "dedupe"}) {
    if (options.erase(name) > 0) {
      warnings.push_back({"OPTION_NO_EFFECT", "accepted for other clients; nothing changes",
                          std::string("/options/") + name});
    }
  }
}

}  // namespace

Json article_options(std::string_view task) {
  if (task == "ner")
    return {{"confidence_threshold", 0.45}, {"max_span_num", 50}, {"max_length", 384}};
  if (task == "event") return {{"confidence_threshold", 0.55}, {"max_span_num", 20}};
  if (task == "absa" || task == "sentiment")
    return {{"confidence_threshold", 0.6}, {"max_length", 128}};
  if (task == "coref") return {{"max_length", 256}, {"coref_max_distance", 150}};
  return nullptr;
}

Result<tasks::TaskRequest> defaults_for(const config::Settings& settings, Json& body,
                                        const tasks::TaskRow* row) {
  tasks::TaskRequest defaults;
  defaults.task = row;
  const config::LimitSettings& limits = settings.limits;
  defaults.limits = {limits.max_text_chars, limits.max_schema_depth, limits.max_labels,
                     limits.max_coref_pairs};
  defaults.options.query.max_length = settings.inference.max_length;
  defaults.options.query.stride = settings.inference.stride;
  const tasks::TaskRow* task = row;
  if (const auto named = body.find("task"); named != body.end() && named->is_string()) {
    REX_TRY(found,
            tasks::find_task(named->get_ref<const std::string&>()).map_error([](Error error) {
              error.place = "/task";
              return error;
            }));
    task = found;
  }
  if (task == nullptr) return defaults;
  std::string profile = settings.task_profile;
  if (Json* options = options_of(body); options != nullptr && options->contains("profile")) {
    const Json named = take(*options, "profile");
    if (named != "default" && named != "articles") {
      return fail(ErrorCode::kOptionRange, "expected default or articles", "/options/profile");
    }
    profile = named.get<std::string>();
  }
  std::vector<Json> layers;
  if (profile == "articles") layers.push_back(article_options(task->name));
  for (const std::string& name : {std::string("default"), std::string(task->name)}) {
    if (const auto found = settings.task_options.find(name); found != settings.task_options.end()) {
      layers.push_back(found->second);
    }
  }
  std::vector<Warning> ignored;
  for (const Json& layer : layers) {
    if (layer.is_null()) continue;
    REX_TRY_VOID(tasks::read_options(layer, "tasks", false, defaults.options, ignored));
  }
  if (profile == "articles" && task->id == tasks::TaskId::kEvent) defaults.strict = true;
  return defaults;
}

Result<void> apply_preset(const State& state, Json& body) {
  const Json name = take(body, "preset");
  if (name.is_null()) return {};
  if (!name.is_string())
    return fail(ErrorCode::kOptionType, "expected the name of a preset", "/preset");
  REX_TRY(preset, state.presets.find(name.get<std::string>()));
  const bool has_schema = body.contains("schema") || body.contains("extraction_schema") ||
                          body.contains("labels") || body.contains("entity_types");
  for (const auto& [member, value] : preset->items()) {
    if (member == "name" || member == "description" || body.contains(member)) continue;
    if (member == "schema" && has_schema) continue;
    body[member] = value;
  }
  return {};
}

Result<void> take_service_options(Call& call, Json& body, ServiceOptions& options,
                                  std::vector<Warning>& warnings) {
  double seconds = call.state.settings.inference.request_timeout_s;
  const auto limit = [&](int64_t ms) {
    seconds = std::min(seconds, static_cast<double>(ms) / 1000.0);
  };
  if (const auto header = call.request.header("X-Timeout-Ms")) {
    const std::string text(*header);
    if (text.empty() || text.size() > 9 ||
        text.find_first_not_of("0123456789") != std::string::npos) {
      return fail(ErrorCode::kOptionRange, "expected milliseconds", "X-Timeout-Ms");
    }
    limit(std::stoll(text));
  }
  bool strict = false;
  if (Json* given = options_of(body); given != nullptr) {
    if (const Json value = take(*given, "timeout_ms"); !value.is_null()) {
      REX_TRY(ms, whole_number(value, "timeout_ms", 1, 86'400'000));
      limit(ms);
    }
    if (const Json value = take(*given, "priority"); !value.is_null()) {
      REX_TRY(priority, whole_number(value, "priority", 0, pipeline::kPriorities - 1));
      options.priority = static_cast<int32_t>(priority);
    }
    if (const Json value = take(*given, "schema_validation"); !value.is_null()) {
      if (!value.is_boolean()) {
        return fail(ErrorCode::kOptionType, "expected true or false", "/options/schema_validation");
      }
      strict = value.get<bool>();
    }
    REX_TRY_VOID(take_include(take(*given, "include"), options));
    REX_TRY_VOID(check_precision(call, take(*given, "precision")));
    drop_without_effect(*given, warnings);
    if (given->empty()) body.erase("options");
  }
  // Last: a new member moves the others, and `given` with them.
  if (strict) body["strict"] = true;
  call.deadline = call.begin + std::chrono::duration_cast<pipeline::Clock::duration>(
                                   std::chrono::duration<double>(seconds));
  return {};
}

}  // namespace rex::server
