// The engine's memory plan as clients see it.
#pragma once

#include "core/json.h"
#include "engine/plan.h"

namespace rex::server {

// [{"buffer", "offset", "bytes", "first_use", "last_use"}]: places in the arena in bytes, steps
// inclusive.
Json plan_json(const engine::MemoryPlan& plan);

}  // namespace rex::server
