#include "engine/cost.h"

#include <algorithm>

namespace rex::engine {

double pass_flops(const model::ModelConfig& config, int32_t tokens) {
  const double n = tokens, c = config.hidden, f = config.intermediate;
  const double slots = std::min<double>(config.slots(), 2.0 * n - 1.0);
  const double linear = n * (8.0 * c * c + 4.0 * c * f);
  const double attention = 4.0 * n * n * c;
  // Each query and each key meets at most n distinct slots (and never more than occur).
  const double positions = 4.0 * n * std::min(slots, n) * c;
  const double conv = config.conv_kernel == 3 ? 6.0 * n * c * c : 0.0;
  const double head = 4.0 * n * c * c + n * n * c;
  return config.layers * (linear + attention + positions) + conv + head;
}

double weight_stream_bytes(const model::ModelConfig& config, int32_t bytes_per_value) {
  const double c = config.hidden, f = config.intermediate;
  const double layer = 4.0 * c * c + 2.0 * c * f;
  const double conv = config.conv_kernel == 3 ? 3.0 * c * c : 0.0;
  return (config.layers * layer + conv + 2.0 * c * c) * bytes_per_value;
}

}  // namespace rex::engine
