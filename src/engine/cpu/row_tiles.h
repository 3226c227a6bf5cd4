// Cuts some rows into tiles of nearly equal height, so that the last one is not a sliver, and calls
// code that knows the height at compile time.
#pragma once

#include <cstdint>
#include <type_traits>

namespace rex::engine {

template <int kHeight, class Run>
inline __attribute__((always_inline)) void call_with_height(int32_t height, int32_t row,
                                                            const Run& run) {
  if (height == kHeight) {
    run(std::integral_constant<int, kHeight>(), row);
  } else if constexpr (kHeight > 1) {
    call_with_height<kHeight - 1>(height, row, run);
  }
}

// run(integral_constant<int, height>, first row) for tiles of 1…kMost rows.
template <int kMost, class Run>
inline __attribute__((always_inline)) void for_row_tiles(int32_t rows, const Run& run) {
  const int32_t tiles = (rows + kMost - 1) / kMost;
  int32_t row = 0;
  for (int32_t tile = 0; tile < tiles; ++tile) {
    const int32_t height = rows / tiles + (tile < rows % tiles ? 1 : 0);
    call_with_height<kMost>(height, row, run);
    row += height;
  }
}

}  // namespace rex::engine
