// What a request costs in memory before it runs (docs/memory.md, docs/tuning.md).
#pragma once

#include <cstdint>

#include "tasks/request.h"

namespace rex::runtime {

// Upper guesses of the shape of a request.
struct RequestSize {
  int64_t chars = 0;
  int64_t labels = 0;
  int64_t windows = 0;  // of the text
  int64_t passes = 0;   // of the first level, and as many again for each further level
};

RequestSize size_of(const tasks::TaskRequest& request);

// The planner's figure: host memory that this request adds while it runs. The engine's arena is
// fixed and planned for the largest batch (engine/plan.h), so no request adds device memory.
int64_t planned_bytes(const RequestSize& size);

// The published rule: a base and an amount for each label.
int64_t legacy_bytes(const RequestSize& size, int32_t base_mb, int32_t per_label_mb);

}  // namespace rex::runtime
