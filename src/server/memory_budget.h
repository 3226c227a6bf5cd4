// How much memory requests may hold together.
#pragma once

#include <cstdint>

#include "config/settings.h"

namespace rex::server {

// gpu_optimization.memory_budget_mb, or memory_fraction of the memory that is free now (of the
// machine or of the control group, whichever is less). At least 1 MiB.
int64_t memory_budget(const config::GpuSettings& settings);

}  // namespace rex::server
