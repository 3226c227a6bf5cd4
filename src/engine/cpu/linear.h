// y = x · Wᵀ + b through oneDNN, with the weights packed once into the layout that the library
// prefers and only that copy kept.
//
// Work is cut into tasks of (row block of at most 64) × (slice of output columns): a slice of the
// packed weights fits the second-level cache and serves all row blocks in turn. Every task is a
// single-threaded product over the whole inner dimension, so that a row's result depends neither
// on the rows beside it nor on the number of threads (tested bit for bit).
#pragma once

#include <cstdint>
#include <dnnl.hpp>
#include <memory>
#include <span>
#include <vector>

#include "engine/cpu/aligned.h"

namespace rex::engine {

inline constexpr int32_t kRowBlock = 64;  // rows of a task
inline constexpr int32_t kRowStep = 16;   // row counts are padded to a multiple of this

enum class Epilogue : uint8_t {
  kBias,          // y = x·Wᵀ + b
  kBiasGelu,      // y = gelu(x·Wᵀ + b), exact erf form (M13)
  kBiasResidual,  // y = y + x·Wᵀ + b
};

// One worker's handle to the library: a stream, the library's scratch memory, and a tile in which
// a task's result is made before it goes to its place (the library's fast products want dense
// operands, and our rows are wider than a slice).
class LinearContext {
 public:
  LinearContext();

 private:
  friend class Linear;
  dnnl::stream stream_;
  std::vector<std::byte> scratch_;
  AlignedFloats tile_;
};

class Linear {
 public:
  struct Shape {
    int32_t in = 0;   // K; rows of x are dense
    int32_t out = 0;  // N; rows of y are dense
    Epilogue epilogue = Epilogue::kBias;
  };

  // `weight` is [out, in] row-major, `bias` [out]; both are only read here.
  Linear(const Shape& shape, std::span<const float> weight, std::span<const float> bias);
  ~Linear();
  Linear(Linear&&) noexcept;
  Linear& operator=(Linear&&) = delete;
  Linear(const Linear&) = delete;
  Linear& operator=(const Linear&) = delete;

  // Tasks for `rows` rows; x must have memory for rows rounded up to kRowStep.
  [[nodiscard]] int32_t task_count(int32_t rows) const;
  // Runs one task. Different tasks of one product may run at the same time with different
  // contexts.
  void run_task(int32_t task, int32_t rows, const float* x, float* y, LinearContext& context) const;

  [[nodiscard]] int64_t weight_bytes() const;
  [[nodiscard]] int64_t context_bytes() const;  // that a context needs for this product
  // Grows the context's memory to what this product needs.
  void prepare(LinearContext& context) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace rex::engine
