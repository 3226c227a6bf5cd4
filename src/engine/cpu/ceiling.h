// The machine's own limits, measured in place: what the floors beside benchmark figures rest on.
#pragma once

#include <cstdint>

#include "engine/make_engine.h"

namespace rex::engine {

// Best f32 matrix product rate in FLOP/s that oneDNN reaches with `threads` threads of its own on
// shapes like the model's, over about a second.
double measure_gemm_rate(int32_t threads);

// Best rate in operations/s (multiply-add = 2) of this engine's own products in a precision, on
// panels that lie in the second-level cache, over about half a second.
double measure_panel_rate(int32_t threads, Precision precision);

// Bytes of one packed weight.
int32_t bytes_a_weight(Precision precision);

// Best rate in bytes/s at which `threads` threads read memory far larger than the caches.
double measure_read_rate(int32_t threads);

}  // namespace rex::engine
