// One small and one full batch before the service calls itself ready.
#pragma once

#include "core/result.h"
#include "pipeline/analyze.h"

namespace rex::server {

// Errors: whatever the model says to the task table's own example.
Result<void> warm_up(pipeline::Pipeline& pipeline);

}  // namespace rex::server
