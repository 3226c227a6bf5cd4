// y = x · Wᵀ + b on packed panels (panel.h), with what follows the product done while its result is
// in the first-level cache.
//
// Work is cut into tasks of (row block of at most 64) × (some panels): the panels of a task stay in
// the second-level cache and serve the row block tile by tile. Every result is made by one sequence
// of operations over the whole inner dimension, so a row depends neither on the rows beside it nor
// on the number of threads (tested bit for bit).
#pragma once

#include <cstdint>
#include <span>

#include "engine/cpu/aligned.h"
#include "engine/cpu/panel.h"

namespace rex::engine {

enum class Epilogue : uint8_t {
  kBias,          // y = x·Wᵀ + b
  kBiasGelu,      // y = gelu(x·Wᵀ + b), exact erf form (M13)
  kBiasResidual,  // y = y + x·Wᵀ + b
};

// Rows as a kernel reads them. f32 rows are the engine's own; the others are made by convert_row().
struct RowsView {
  const void* data = nullptr;
  ptrdiff_t stride = 0;          // bytes
  const float* scale = nullptr;  // u8: x = scale · (value − zero), one of each a row
  const int32_t* zero = nullptr;
};

struct LinearShape {
  int32_t in = 0;   // K
  int32_t out = 0;  // N; rows of y are dense
  WeightType type = WeightType::kF32;

  [[nodiscard]] int32_t depth() const;   // K as packed
  [[nodiscard]] int32_t panels() const;  // of 32 columns
  [[nodiscard]] size_t weight_bytes() const;
};

// The packed parts; columns beyond `out` are zero. `scale` and `sum` of int8 weights only.
struct LinearParts {
  std::span<const std::byte> weight;  // panels
  std::span<const float> bias;        // [panels · 32]
  std::span<const float> scale;       // [panels · 32]: W = scale · value
  std::span<const int32_t> sum;       // [panels · 32]: of a column's values
};

// Packs `weight` ([out, in] row-major) into `panels` (shape.weight_bytes()); for int8 also fills
// scale and sum. False when a value is not finite or too large for the type.
bool pack_weight(const LinearShape& shape, std::span<const float> weight,
                 std::span<std::byte> panels, std::span<float> scale, std::span<int32_t> sum);

class Linear {
 public:
  Linear() = default;
  // Borrows the parts. Their sizes must fit the shape.
  Linear(const LinearShape& shape, const LinearParts& parts, Epilogue epilogue);

  [[nodiscard]] const LinearShape& shape() const { return shape_; }
  [[nodiscard]] RowType row_type() const { return kernel_.rows; }
  [[nodiscard]] const PanelKernel& kernel() const { return kernel_; }

  // Tasks for `rows` rows on `threads` threads.
  [[nodiscard]] int32_t task_count(int32_t rows, int32_t threads) const;
  // Runs one of them; different tasks may run at the same time. Needs no memory of its own but
  // 8 KB of stack.
  void run_task(int32_t task, int32_t rows, int32_t threads, const RowsView& x, float* y) const;

 private:
  struct Cut {
    int32_t blocks, block_rows, slices, slice_panels;
  };
  [[nodiscard]] Cut cut(int32_t rows, int32_t threads) const;

  LinearShape shape_;
  LinearParts parts_;
  Epilogue epilogue_ = Epilogue::kBias;
  PanelKernel kernel_;
};

}  // namespace rex::engine
