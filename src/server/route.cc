#include "server/route.h"

namespace rex::server {
namespace {

std::vector<Route> make_routes() {
  std::vector<Route> all;
  // Names without an owner live as long as the program.
  static std::vector<std::string> patterns;
  patterns.reserve(64);
  const auto add_task = [&](std::string_view name, const tasks::TaskRow& row) {
    patterns.push_back("/api/" + std::string(name));
    all.push_back({"POST", patterns.back(), Role::kInfer, Where::kWorker, answer_task, row.name_en,
                   "TaskRequest", "TaskRouteAnswer", &row});
  };
  for (const tasks::TaskRow& row : tasks::kTasks) add_task(row.name, row);
  const auto add_alias = [&](std::string_view name, tasks::TaskId id) {
    add_task(name, tasks::row_of(id));
  };
  for (const tasks::TaskRow& row : tasks::kTasks) {
    // "文本匹配 / 推理" has two names.
    std::string_view names = row.name_zh;
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(" / "));
      add_task(name, row);
      names.remove_prefix(std::min(names.size(), name.size() + 3));
    }
  }
  add_alias("re", tasks::TaskId::kRelation);
  add_alias("ee", tasks::TaskId::kEvent);
  add_alias("tc", tasks::TaskId::kClassification);
  add_alias("mrc", tasks::TaskId::kReading);
  add_alias("nli", tasks::TaskId::kMatching);

  const Route rest[] = {
      {"POST", "/api/analyze", Role::kInfer, Where::kWorker, answer_analyze,
       "one text, one or several tasks", "AnalyzeRequest", "AnalyzeAnswer"},
      {"POST", "/api/batch", Role::kInfer, Where::kWorker, answer_batch,
       "one task, many texts; application/x-ndjson streams the answers", "BatchRequest",
       "BatchAnswer"},
      {"GET", "/api/info", Role::kInfer, Where::kLoop, answer_info,
       "model, device, switches, limits", "", "Object"},
      {"GET", "/api/tasks", Role::kInfer, Where::kLoop, answer_tasks,
       "the eleven tasks with examples", "", "Object"},
      {"GET", "/api/presets", Role::kInfer, Where::kLoop, answer_presets, "stored schemas", "",
       "Object"},
      {"GET", "/api/presets/{name}", Role::kInfer, Where::kLoop, answer_preset, "one stored schema",
       "", "Object"},
      {"POST", "/api/schema/validate", Role::kInfer, Where::kWorker, answer_validate,
       "canonical form, warnings and cost of a schema", "ValidateRequest", "Object"},
      {"POST", "/api/tokenize", Role::kInfer, Where::kWorker, answer_tokenize,
       "tokens of a text with ids and offsets", "TokenizeRequest", "Object"},
      {"GET", "/api/memory", Role::kInfer, Where::kLoop, answer_memory,
       "the engine's plan and the memory of requests", "", "Object"},
      {"POST", "/predict", Role::kInfer, Where::kWorker, answer_predict,
       "the original's form: text and schema in, output out", "PredictRequest", "PredictAnswer"},
      {"POST", "/api/predict", Role::kInfer, Where::kWorker, answer_predict,
       "the original's form: text and schema in, output out", "PredictRequest", "PredictAnswer"},
      {"POST", "/nlu", Role::kInfer, Where::kWorker, answer_nlu, "intent and slots of an utterance",
       "NluRequest", "Object"},
      {"GET", "/v2", Role::kOpen, Where::kLoop, answer_v2, "Open Inference Protocol: the server",
       "", "Object"},
      {"GET", "/v2/health/live", Role::kOpen, Where::kLoop, answer_v2_live,
       "Open Inference Protocol: alive", "", "Object"},
      {"GET", "/v2/health/ready", Role::kOpen, Where::kLoop, answer_v2_ready,
       "Open Inference Protocol: ready", "", "Object"},
      {"GET", "/v2/models/{model}", Role::kInfer, Where::kLoop, answer_v2_model,
       "Open Inference Protocol: a model's inputs and outputs", "", "Object"},
      {"GET", "/v2/models/{model}/versions/{version}", Role::kInfer, Where::kLoop, answer_v2_model,
       "Open Inference Protocol: a model's inputs and outputs", "", "Object"},
      {"GET", "/v2/models/{model}/ready", Role::kOpen, Where::kLoop, answer_v2_model_ready,
       "Open Inference Protocol: a model is ready", "", "Object"},
      {"GET", "/v2/models/{model}/versions/{version}/ready", Role::kOpen, Where::kLoop,
       answer_v2_model_ready, "Open Inference Protocol: a model is ready", "", "Object"},
      {"POST", "/v2/models/{model}/infer", Role::kInfer, Where::kWorker, answer_v2_infer,
       "Open Inference Protocol: inference", "V2Request", "V2Answer"},
      {"POST", "/v2/models/{model}/versions/{version}/infer", Role::kInfer, Where::kWorker,
       answer_v2_infer, "Open Inference Protocol: inference", "V2Request", "V2Answer"},
      {"GET", "/healthz", Role::kOpen, Where::kLoop, answer_healthz, "the process answers", "",
       "Object"},
      {"GET", "/readyz", Role::kOpen, Where::kLoop, answer_readyz, "requests can be answered now",
       "", "Object"},
      {"GET", "/health", Role::kOpen, Where::kLoop, answer_readyz, "as /readyz", "", "Object"},
      {"GET", "/metrics", Role::kMetrics, Where::kLoop, answer_metrics, "Prometheus metrics", "",
       ""},
      {"GET", "/version", Role::kOpen, Where::kLoop, answer_version, "version and revision", "",
       "Object"},
      {"GET", "/openapi.json", Role::kOpen, Where::kLoop, answer_openapi, "this description", "",
       "Object"},
      {"GET", "/docs", Role::kOpen, Where::kLoop, answer_docs, "the routes as a page", "", ""},
  };
  all.insert(all.end(), std::begin(rest), std::end(rest));
  return all;
}

// Matches "/a/{x}" and fills the parts.
bool matches(std::string_view pattern, std::string_view path,
             std::map<std::string, std::string, std::less<>>& parts) {
  while (!pattern.empty() && !path.empty()) {
    if (pattern.front() != '/' || path.front() != '/') return false;
    pattern.remove_prefix(1);
    path.remove_prefix(1);
    const std::string_view want = pattern.substr(0, pattern.find('/'));
    const std::string_view have = path.substr(0, path.find('/'));
    if (want.starts_with('{')) {
      if (have.empty()) return false;
      parts[std::string(want.substr(1, want.size() - 2))] = have;
    } else if (want != have) {
      return false;
    }
    pattern.remove_prefix(want.size());
    path.remove_prefix(have.size());
  }
  return pattern.empty() && path.empty();
}

}  // namespace

std::span<const Route> routes() {
  static const std::vector<Route> all = make_routes();
  return all;
}

Result<Match> find_route(std::string_view method, std::string_view path) {
  std::string allowed;
  for (const Route& route : routes()) {
    Match match{&route, {}};
    if (!matches(route.pattern, path, match.parts)) continue;
    if (method == route.method || (method == "HEAD" && route.method == "GET")) return match;
    if (allowed.find(route.method) == std::string::npos) {
      allowed.append(allowed.empty() ? "" : ", ").append(route.method);
    }
  }
  if (!allowed.empty()) {
    return fail(ErrorCode::kMethodNotAllowed,
                std::string(method) + " is not possible here; " + allowed + " is", allowed);
  }
  return fail(ErrorCode::kRouteUnknown, "there is nothing at " + std::string(path),
              std::string(path));
}

}  // namespace rex::server
