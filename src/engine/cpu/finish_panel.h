// What follows a panel's product, and the rows that the next product wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/cpu/linear.h"

namespace rex::engine {

struct PanelFinish {
  const float* sums = nullptr;  // [rows, 32]; int32 where column_scale is given
  int32_t rows = 0;
  const float* bias = nullptr;          // [32]
  const float* column_scale = nullptr;  // int8 only, as the next three
  const int32_t* column_sum = nullptr;
  const float* row_scale = nullptr;
  const int32_t* row_zero = nullptr;
  float* y = nullptr;   // the block's first row and column
  ptrdiff_t ld_y = 0;   // floats
  int32_t columns = 0;  // 1…32 of the panel are wanted
  Epilogue epilogue = Epilogue::kBias;
};

// y ← epilogue(sums + bias), or of the sums of int8 products turned back into numbers:
// row_scale · column_scale · (sum − row_zero · column_sum).
void finish_panel(const PanelFinish& finish);

// Bytes of a converted row of `width` values: whole kDepthSteps.
ptrdiff_t converted_bytes(RowType type, int32_t width);

// Rounds a row to bf16 or f16, or to u8 with the row's own scale and zero point. u8 spans the
// row's smallest and largest value and always represents 0 exactly. Padding becomes zero.
void convert_row(RowType type, std::span<const float> row, void* out, float* scale, int32_t* zero);

}  // namespace rex::engine
