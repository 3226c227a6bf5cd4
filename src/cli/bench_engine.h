// Times an engine on made-up passes of fixed shapes and sets every figure beside its floor: the
// operations over the matrix rate, or the weight bytes over the read rate, both measured on this
// machine in the same run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "engine/engine.h"
#include "engine/make_engine.h"
#include "model/config.h"

namespace rex::cli {

struct BenchShape {
  std::string name;              // "1x64"
  std::vector<int32_t> lengths;  // tokens of each pass
};

// The shapes of docs/benchmarks.md: 1×64, 1×128, 1×512, 16×128.
std::vector<BenchShape> standard_shapes();

// "16x128" → sixteen passes of 128 tokens; "mixed" → sixteen of 32, 64 … 512 tokens. Errors:
// OPTION_TYPE, OPTION_RANGE (20…512 tokens).
Result<BenchShape> parse_shape(const std::string& text);

// All zero: not measured, and no floors either.
struct Ceilings {
  double library_flops = 0.0;  // FLOP/s of oneDNN's best f32 product
  double flops = 0.0;          // of this engine's products in its precision, weights in the cache
  double bytes = 0.0;          // bytes/s of a plain read
  int32_t weight_bytes = 4;    // of one weight
};

struct BenchRow {
  std::string shape;
  int32_t tokens = 0;
  int32_t runs = 0;
  double min_ms = 0.0, median_ms = 0.0, low_ms = 0.0, high_ms = 0.0;  // 10th and 90th percentile
  double tokens_per_second = 0.0;
  double gflops = 0.0;    // per second, of the floor's operations
  double floor_ms = 0.0;  // the larger of the two below
  double compute_floor_ms = 0.0;
  double weight_floor_ms = 0.0;
  [[nodiscard]] double of_floor() const { return floor_ms / median_ms; }
};

Ceilings measure_ceilings(int32_t threads, engine::Precision precision);

// With `cpu_time` the process's CPU time is taken instead of the clock: for one thread on a machine
// that others use too.
// Runs one shape for about `seconds` (at least five times, after two warm-up runs). Batches above
// the engine's limits are split. Errors: the engine's.
Result<BenchRow> bench_shape(engine::Engine& engine, const model::ModelConfig& config,
                             const BenchShape& shape, const Ceilings& ceilings, double seconds,
                             bool cpu_time = false);

std::string to_table(const std::vector<BenchRow>& rows, const Ceilings& ceilings);
Json to_json(const std::vector<BenchRow>& rows, const Ceilings& ceilings);

}  // namespace rex::cli
