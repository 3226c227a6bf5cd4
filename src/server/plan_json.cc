#include "server/plan_json.h"

namespace rex::server {

Json plan_json(const engine::MemoryPlan& plan) {
  Json buffers = Json::array();
  for (const engine::PlannedBuffer& b : plan.buffers) {
    buffers.push_back({{"buffer", b.name},
                       {"offset", b.offset},
                       {"bytes", b.bytes},
                       {"first_use", b.first_step},
                       {"last_use", b.last_step}});
  }
  return buffers;
}

}  // namespace rex::server
