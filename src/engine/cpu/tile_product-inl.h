// A small product for operands that already lie in the cache: out = x · y.
//   x [rows, depth] row-major, ld_x     y [depth, columns] row-major, ld_y     out ld_out
// Columns are computed in whole vectors: y and out need memory up to columns rounded up to 16.
// Each output element is one chain of fused products over depth in order, whatever the tile it
// falls into, so results do not depend on how rows are grouped.
//
// Six rows by two vectors: twelve accumulators, which fit the sixteen registers of AVX2 and still
// cover the latency of two multiply units on AVX-512.
//
// Per-target header: included inside HWY_NAMESPACE sources only.
#if defined(REX_TILE_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef REX_TILE_PRODUCT_INL_H
#undef REX_TILE_PRODUCT_INL_H
#else
#define REX_TILE_PRODUCT_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rex::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kRows, int kVectors>
HWY_INLINE void product_tile(const float* HWY_RESTRICT x, size_t ld_x, const float* HWY_RESTRICT y,
                             size_t ld_y, size_t depth, float* HWY_RESTRICT out, size_t ld_out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  }
  for (size_t k = 0; k < depth; ++k) {
    hn::Vec<decltype(d)> columns[kVectors];
    for (int v = 0; v < kVectors; ++v) columns[v] = hn::LoadU(d, y + k * ld_y + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const auto value = hn::Set(d, x[r * ld_x + k]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(value, columns[v], sum[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[r][v], d, out + r * ld_out + v * lanes);
  }
}

template <int kVectors>
HWY_INLINE void product_rows(const float* x, size_t ld_x, size_t rows, const float* y, size_t ld_y,
                             size_t depth, float* out, size_t ld_out) {
  size_t r = 0;
  for (; r + 6 <= rows; r += 6) {
    product_tile<6, kVectors>(x + r * ld_x, ld_x, y, ld_y, depth, out + r * ld_out, ld_out);
  }
  const float* rest = x + r * ld_x;
  float* target = out + r * ld_out;
  switch (rows - r) {
    case 5: product_tile<5, kVectors>(rest, ld_x, y, ld_y, depth, target, ld_out); break;
    case 4: product_tile<4, kVectors>(rest, ld_x, y, ld_y, depth, target, ld_out); break;
    case 3: product_tile<3, kVectors>(rest, ld_x, y, ld_y, depth, target, ld_out); break;
    case 2: product_tile<2, kVectors>(rest, ld_x, y, ld_y, depth, target, ld_out); break;
    case 1: product_tile<1, kVectors>(rest, ld_x, y, ld_y, depth, target, ld_out); break;
    default: break;
  }
}

HWY_INLINE void tile_product(const float* x, size_t ld_x, size_t rows, const float* y, size_t ld_y,
                             size_t depth, size_t columns, float* out, size_t ld_out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t c = 0;
  for (; c + 2 * lanes <= columns; c += 2 * lanes) {
    product_rows<2>(x, ld_x, rows, y + c, ld_y, depth, out + c, ld_out);
  }
  for (; c < columns; c += lanes) {
    product_rows<1>(x, ld_x, rows, y + c, ld_y, depth, out + c, ld_out);
  }
}

}  // namespace rex::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
