// From the JSON of a request to the model's answer, for every route that asks the model.
#pragma once

#include <span>
#include <vector>

#include "server/call.h"
#include "server/state.h"
#include "tasks/request.h"

namespace rex::server {

// What the service itself reads of `options`; the rest belongs to the task (tasks/request.h).
struct ServiceOptions {
  int32_t priority = 1;
  bool timing = false;  // include: ["timing"]
};

// One text with one task, ready to run.
struct Prepared {
  tasks::TaskRequest request;
  ServiceOptions options;
  std::string key;  // equal keys have equal answers
};

// Reads `body` (task optional when `row` is given) over the defaults of the settings. Takes the
// time limit of the request into call.deadline. Errors: those of read_request, PRESET_UNKNOWN,
// OPTION_RANGE, OPTION_TYPE.
Result<Prepared> prepare(Call& call, Json body, const tasks::TaskRow* row);

// Computes one request: priced, joined with an equal one in flight, in common batches.
Result<Computed> compute(Call& call, const Prepared& prepared);
// The same for several, which travel together. One result for each, in order.
std::vector<Result<Computed>> compute(Call& call, std::span<const Prepared> prepared);

// The answer as clients see it (interface, section 2.4).
Json answer_json(const Call& call, const Prepared& prepared, const Computed& computed);

// Adds what was computed to call.facts.
void note(Call& call, const Computed& computed);

// X-Device, X-Batch-Size, Server-Timing, … of an answer of the model.
void add_model_headers(const Call& call, http::Headers& headers);

}  // namespace rex::server
