// What ?mode=debug adds to an answer: how the model was asked and what it said.
#pragma once

#include "server/model_call.h"

namespace rex::server {

// {"precision", "device", "prompts", "windows", "links", "memory_plan", "difference"} of an answer
// that was computed in debug mode: single passes, no neighbours. Computes it once more in the
// normal way and reports what differs.
Result<Json> debug_json(Call& call, const Prepared& prepared, const Computed& computed);

}  // namespace rex::server
