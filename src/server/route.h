// The table of routes: what the server answers, its description for /openapi.json, and how the
// right one is found. A new route is a row here and a function.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/call.h"

namespace rex::server {

// Who may call a route when keys are asked for.
enum class Role : uint8_t { kOpen, kInfer, kMetrics };

enum class Where : uint8_t {
  kLoop,    // answered at once, on the event loop
  kWorker,  // runs the model or takes its time
};

struct Route {
  std::string_view method;   // GET or POST; GET answers HEAD too
  std::string_view pattern;  // "/v2/models/{model}/infer"
  Role role;
  Where where;
  Outcome (*handle)(Call& call);
  std::string_view summary;
  std::string_view body;    // name of the request's schema in /openapi.json, empty: none
  std::string_view answer;  // name of the answer's schema, empty: not JSON
  const tasks::TaskRow* task = nullptr;  // of a task's own route
};

// All routes, in the order of the documentation.
std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::map<std::string, std::string, std::less<>> parts;
};

// The route of a path. Errors: ROUTE_UNKNOWN, METHOD_NOT_ALLOWED with the allowed methods in
// `place`.
Result<Match> find_route(std::string_view method, std::string_view path);

// The functions of the rows.
Outcome answer_task(Call& call);
Outcome answer_analyze(Call& call);
Outcome answer_batch(Call& call);
Outcome answer_info(Call& call);
Outcome answer_tasks(Call& call);
Outcome answer_presets(Call& call);
Outcome answer_preset(Call& call);
Outcome answer_validate(Call& call);
Outcome answer_tokenize(Call& call);
Outcome answer_memory(Call& call);
Outcome answer_version(Call& call);
Outcome answer_openapi(Call& call);
Outcome answer_docs(Call& call);
Outcome answer_predict(Call& call);
Outcome answer_nlu(Call& call);
Outcome answer_v2(Call& call);
Outcome answer_v2_live(Call& call);
Outcome answer_v2_ready(Call& call);
Outcome answer_v2_model(Call& call);
Outcome answer_v2_model_ready(Call& call);
Outcome answer_v2_infer(Call& call);
Outcome answer_healthz(Call& call);
Outcome answer_readyz(Call& call);
Outcome answer_metrics(Call& call);

}  // namespace rex::server
