// The contract of an engine: packed passes in, links out. Implementations: cpu/ (the product),
// cuda/ (one GPU), reference/ (double precision, slow and obvious; the tests trust it).
//
// What every engine promises: the links of a pass depend on that pass alone, bit for bit — not on
// its neighbours in the batch, the order of the batch or the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/result.h"
#include "engine/batch.h"
#include "engine/links.h"
#include "engine/plan.h"
#include "model/weights.h"

namespace rex::engine {

inline constexpr int32_t kMaxPassTokens = 512;  // P3

// The most that one batch may hold. Memory is planned for exactly this.
struct BatchLimits {
  int32_t tokens = 2048;  // T; at least kMaxPassTokens
  int32_t passes = 256;   // B
};

struct EngineInfo {
  std::string device;     // "cpu", "cuda:0"
  std::string precision;  // "f32", "f16", "bf16", "int8"
  std::string detail;     // instruction set or name of the GPU, library version
  int32_t threads = 1;
  BatchLimits limits;
  bool brief = false;  // a batch takes milliseconds: who finds the engine idle may run it and wait
};

// What an engine has done since it was made.
struct EngineCounters {
  int64_t steps = 0;               // batches computed
  int64_t device_allocations = 0;  // GPU: of device memory, the start included
  int64_t non_finite = 0;          // GPU: logits that were no numbers; 0 in a sound run
};

// Executes batches in order. Not thread-safe: one thread at a time.
class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] virtual const EngineInfo& info() const = 0;
  // Every buffer with its lifetime and place; fixed at construction.
  [[nodiscard]] virtual const MemoryPlan& plan() const = 0;

  // Not synchronised with run().
  [[nodiscard]] virtual EngineCounters counters() const { return {}; }

  // Computes one batch. `out` is cleared and filled with one PassLinks for each pass.
  // Errors: WORK_TOO_LARGE when the batch exceeds the limits. A malformed batch is a bug
  // (InternalError). No allocation once lists and scratch have reached their size.
  virtual Result<void> run(const PackedBatch& batch, LinkLists& out) = 0;
};

}  // namespace rex::engine
