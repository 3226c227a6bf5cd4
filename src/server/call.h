// One HTTP request on its way through a route.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/result.h"
#include "http/server.h"
#include "pipeline/call.h"
#include "pipeline/query.h"
#include "tasks/task_table.h"

namespace rex::server {

struct State;
struct Route;

// What the model did for a request; the source of headers, log line and metrics.
struct ModelFacts {
  bool used = false;
  std::string task;  // "mixed" for several
  pipeline::CallReport report;
  pipeline::Usage usage;
  size_t warnings = 0;
  size_t texts = 0;
  bool shared = false;  // the answer was computed for an equal request in flight
};

struct Call {
  State& state;
  http::Request request;
  std::shared_ptr<http::Exchange> exchange;
  std::string request_id = {};
  pipeline::Clock::time_point begin = pipeline::Clock::now();
  pipeline::Clock::time_point deadline = pipeline::Clock::time_point::max();
  const Route* route = nullptr;
  std::map<std::string, std::string, std::less<>> path_parts = {};  // {name} of the route's pattern
  std::string key_id = {};     // of the API key, when one was given
  bool debug = false;          // ?mode=debug
  http::Headers headers = {};  // of the answer, whatever it will be
  ModelFacts facts = {};
  std::vector<pipeline::TracedPass> trace = {};  // filled in debug mode

  // The body as a JSON object. Errors: BODY_EMPTY, JSON_INVALID, ENCODING_INVALID, ….
  [[nodiscard]] Result<Json> body_json() const;
};

// An answer, or nothing when the route streamed it itself.
using Outcome = Result<std::optional<http::Response>>;

// {"…"} as a 200 answer; indented with ?pretty=1.
http::Response json_response(const Call& call, const Json& json, int status = 200);

}  // namespace rex::server
