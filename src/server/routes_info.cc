// What the service says about itself, and helpers that compute nothing.
#include <algorithm>
#include <ctime>

#include "observe/metrics.h"
#include "prompt/hint.h"
#include "prompt/label_tree.h"
#include "runtime/estimate.h"
#include "schema/schema.h"
#include "server/error_body.h"
#include "server/model_call.h"
#include "server/plan_json.h"
#include "server/route.h"
#include "server/task_defaults.h"
#include "text/utf8.h"

namespace rex::server {
namespace {

std::string utc(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// As it stands in config.yaml: true, false or a word.
Json sparse_attention(const config::GpuSettings& gpu) {
  const std::string& value = gpu.sparse_attention;
  return value == "true" || value == "false" ? Json(value == "true") : Json(value);
}

Json words(std::string_view list) {
  Json all = Json::array();
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(' '));
    if (!word.empty()) all.push_back(word);
    list.remove_prefix(std::min(list.size(), word.size() + 1));
  }
  return all;
}

Json task_json(const tasks::TaskRow& row, const config::Settings& settings) {
  Json json = {{"task", row.name},
               {"route", "/api/" + std::string(row.name)},
               {"name_zh", row.name_zh},
               {"name_en", row.name_en},
               {"aliases", words(row.aliases)},
               {"fields", words(row.fields)},
               {"example", {{"text", row.example_text}}}};
  if (!row.example_schema.empty()) {
    json["example"]["schema"] = Json::parse(row.example_schema);
  }
  json["default_schema"] = row.default_schema.empty() ? Json() : Json::parse(row.default_schema);
  if (const auto found = settings.task_options.find(std::string(row.name));
      found != settings.task_options.end()) {
    json["options"] = found->second;
  }
  return json;
}

struct Level {
  int32_t labels = 0, prompts = 0;
};

void count_levels(const std::vector<prompt::LabelNode>& nodes, size_t level,
                  const text::SpecialIds& special, std::vector<Level>& levels) {
  if (nodes.empty()) return;
  if (levels.size() <= level) levels.resize(level + 1);
  const prompt::Ask ask{{}, nodes};
  levels[level].labels += static_cast<int32_t>(nodes.size());
  levels[level].prompts +=
      static_cast<int32_t>(prompt::build_hints(std::span(&ask, 1), {}, special).hints.size());
  for (const prompt::LabelNode& node : nodes)
    count_levels(node.children, level + 1, special, levels);
}

// What the task itself says of a schema that parses: its error, or its warnings.
Result<std::vector<Warning>> check_for_task(const config::Settings& settings, const Json& body) {
  Json probe = {{"task", body["task"]}, {"schema", body["schema"]}};
  if (body.contains("strict")) probe["strict"] = body["strict"];
  REX_TRY(defaults, defaults_for(settings, probe, nullptr));
  REX_TRY(request, tasks::read_request(probe, defaults));
  request.text = request.task->example_text;
  REX_TRY(work, request.task->start(request));
  return std::move(work.warnings);
}

}  // namespace

Outcome answer_info(Call& call) {
  const State& state = call.state;
  const config::Settings& s = state.settings;
  const engine::EngineInfo& engine = state.pipeline->engine().info();
  return json_response(call, {{"name", "rexuninlu"},
                              {"version", state.version},
                              {"revision", state.revision},
                              {"model", {{"name", s.model.name}, {"version", s.model.version}}},
                              {"device", engine.device},
                              {"precision", engine.precision},
                              {"engine", engine.detail},
                              {"threads", engine.threads},
                              {"gpu_optimized", state.gpu_optimized()},
                              {"switches",
                               {{"use_gpu_optimization", s.gpu.enabled},
                                {"memory_pool", s.gpu.memory_pool},
                                {"dynamic_checkpoint", s.gpu.dynamic_checkpoint},
                                {"sparse_attention", sparse_attention(s.gpu)}}},
                              {"limits",
                               {{"max_body_bytes", s.server.max_body_bytes},
                                {"max_batch_texts", s.limits.max_batch_texts},
                                {"max_text_chars", s.limits.max_text_chars},
                                {"max_labels", s.limits.max_labels},
                                {"max_schema_depth", s.limits.max_schema_depth},
                                {"max_coref_pairs", s.limits.max_coref_pairs},
                                {"max_batch_tokens", engine.limits.tokens}}},
                              {"profile", s.task_profile},
                              {"debug", s.debug_enabled},
                              {"started", utc(state.started)}});
}

Outcome answer_tasks(Call& call) {
  Json list = Json::array();
  for (const tasks::TaskRow& row : tasks::kTasks)
    list.push_back(task_json(row, call.state.settings));
  return json_response(call, {{"tasks", std::move(list)}});
}

Outcome answer_presets(Call& call) {
  return json_response(call, {{"presets", call.state.presets.list()}});
}

Outcome answer_preset(Call& call) {
  REX_TRY(preset, call.state.presets.find(call.path_parts["name"]));
  return json_response(call, *preset);
}

Outcome answer_validate(Call& call) {
  REX_TRY(body, call.body_json());
  const auto given = body.find("schema");
  if (given == body.end()) return fail(ErrorCode::kSchemaMissing, "give \"schema\"", "/schema");
  const config::Settings& s = call.state.settings;
  schema::ParseOptions options;
  options.max_depth = s.limits.max_schema_depth;
  options.max_labels = s.limits.max_labels;
  if (const auto strict = body.find("strict"); strict != body.end()) {
    if (!strict->is_boolean())
      return fail(ErrorCode::kOptionType, "expected true or false", "/strict");
    options.strict = strict->get<bool>();
  }
  auto parsed = schema::parse_schema(*given, options);
  if (!parsed) return fail(std::move(parsed).error().in("/schema"));
  for (Warning& warning : parsed->warnings) warning.place.insert(0, "/schema");
  if (body.contains("task")) {
    REX_TRY(more, check_for_task(s, body));
    add_warnings(std::move(more), parsed->warnings);
  }
  const text::Tokenizer& tokenizer = call.state.pipeline->tokenizer();
  REX_TRY_VOID(prompt::check_labels(*parsed, tokenizer));
  REX_TRY(labels, prompt::compile_labels(*parsed, tokenizer, text::SpecialMatching::kOff));
  std::vector<Level> levels;
  count_levels(labels->roots, 0, tokenizer.special(), levels);
  Json costs = Json::array();
  for (const Level& level : levels)
    costs.push_back({{"labels", level.labels}, {"prompts", level.prompts}});
  runtime::RequestSize size;
  size.labels = schema::label_count(*parsed);
  size.passes = levels.empty() ? 1 : levels.front().prompts;
  return json_response(
      call,
      {{"schema", schema::to_json(*parsed)},
       {"labels", schema::label_count(*parsed)},
       {"depth", schema::depth(*parsed)},
       {"levels", std::move(costs)},
       {"memory",
        {{"planner_kb", runtime::planned_bytes(size) >> 10},
         {"legacy_mb",
          runtime::legacy_bytes(size, s.gpu.reserve_base_mb, s.gpu.reserve_per_label_mb) >> 20}}},
       {"warnings", warnings_json(parsed->warnings)}});
}

Outcome answer_tokenize(Call& call) {
  REX_TRY(body, call.body_json());
  const auto given = body.find("text");
  if (given == body.end()) return fail(ErrorCode::kTextMissing, "give \"text\"", "/text");
  if (!given->is_string())
    return fail(ErrorCode::kTextNotString, "the text is " + std::string(json_kind(*given)),
                "/text");
  auto chars = text::CharText::make(given->get<std::string>());
  if (!chars) return fail(std::move(chars).error().in("/text "));
  if (chars->size() > call.state.settings.limits.max_text_chars) {
    return fail(ErrorCode::kTextTooLong,
                "has " + std::to_string(chars->size()) + " chars; allowed are " +
                    std::to_string(call.state.settings.limits.max_text_chars),
                "/text");
  }
  const text::Tokenizer& tokenizer = call.state.pipeline->tokenizer();
  REX_TRY(tokens, tokenizer.encode(chars->utf8(), text::SpecialMatching::kOff));
  Json list = Json::array();
  for (const text::Token& token : tokens) {
    list.push_back({{"id", token.id},
                    {"token", tokenizer.token_text(token.id)},
                    {"start", token.start},
                    {"end", token.end}});
  }
  return json_response(call, {{"chars", chars->size()}, {"tokens", std::move(list)}});
}

Outcome answer_memory(Call& call) {
  const State& state = call.state;
  const engine::MemoryPlan& plan = state.pipeline->engine().plan();
  return json_response(call, {{"device", state.pipeline->engine().info().device},
                              {"planned_bytes", plan.total_bytes()},
                              {"weight_bytes", plan.weight_bytes},
                              {"arena_bytes", plan.arena_bytes},
                              {"workspace_bytes", plan.workspace_bytes},
                              {"peak_mb", (state.planned_bytes() + (1 << 20) - 1) >> 20},
                              {"requests",
                               {{"estimate", state.settings.gpu.estimate},
                                {"used_bytes", state.admission->used()},
                                {"peak_bytes", state.admission->peak()},
                                {"budget_bytes", state.admission->budget()}}},
                              {"resident_bytes", observe::resident_bytes()},
                              {"buffers", plan_json(plan)}});
}

Outcome answer_version(Call& call) {
  return json_response(
      call,
      {{"name", "rexuninlu"}, {"version", call.state.version}, {"revision", call.state.revision}});
}

}  // namespace rex::server
