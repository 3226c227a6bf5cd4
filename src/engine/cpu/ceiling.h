// The machine's own limits, measured in place: what the floors beside benchmark figures rest on.
#pragma once

#include <cstdint>

namespace rex::engine {

// Best f32 matrix product rate in FLOP/s that oneDNN reaches with `threads` threads of its own on
// shapes like the model's, over about a second.
double measure_gemm_rate(int32_t threads);

// Best rate in bytes/s at which `threads` threads read memory far larger than the caches.
double measure_read_rate(int32_t threads);

}  // namespace rex::engine
