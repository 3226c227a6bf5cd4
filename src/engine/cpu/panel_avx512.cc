// AVX-512 kernels on 16 columns a register: products of pairs (bf16, f16) or fours (int8) of
// consecutive K in each 32-bit lane. Every function names the instructions it needs; nothing here
// is compiled for more than that.
#include "engine/cpu/panel_x86.h"

#if REX_X86_PANELS
#include <immintrin.h>

#include "engine/cpu/row_tiles.h"

namespace rex::engine {
namespace {

#define REX_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define REX_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define REX_FP16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512fp16")))

inline const char* row_of(const PanelJob& job, int32_t row) {
  return static_cast<const char*>(job.x) + row * job.x_stride;
}

inline int32_t four_bytes(const char* at) {
  int32_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

template <int kRows>
REX_VNNI inline void int8_tile(const PanelJob& job, int32_t row) {
  const char* x = row_of(job, row);
  const auto* w = static_cast<const __m512i*>(job.panel);
  __m512i left[kRows], right[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) left[r] = right[r] = _mm512_setzero_si512();
  const char* fetch = job.fetch_begin(row, job.depth / 4);
  for (int32_t k = 0; k < job.depth; k += 4, w += 2, fetch += 64) {
    __builtin_prefetch(fetch, 0, 2);
    const __m512i w0 = _mm512_load_si512(w), w1 = _mm512_load_si512(w + 1);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m512i value = _mm512_set1_epi32(four_bytes(x + r * job.x_stride + k));
      left[r] = _mm512_dpbusd_epi32(left[r], value, w0);
      right[r] = _mm512_dpbusd_epi32(right[r], value, w1);
    }
  }
  float* out = job.sums + static_cast<ptrdiff_t>(row) * job.ld_sums;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r, out += job.ld_sums) {
    _mm512_storeu_si512(out, left[r]);
    _mm512_storeu_si512(out + 16, right[r]);
  }
}

template <int kRows>
REX_BF16 inline void bf16_tile(const PanelJob& job, int32_t row) {
  const char* x = row_of(job, row);
  const auto* w = static_cast<const __m512i*>(job.panel);
  __m512 left[kRows], right[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) left[r] = right[r] = _mm512_setzero_ps();
  const char* fetch = job.fetch_begin(row, job.depth / 2);
  for (int32_t k = 0; k < job.depth; k += 2, w += 2, fetch += 64) {
    __builtin_prefetch(fetch, 0, 2);
    const auto w0 = (__m512bh)_mm512_load_si512(w), w1 = (__m512bh)_mm512_load_si512(w + 1);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const auto value = (__m512bh)_mm512_set1_epi32(four_bytes(x + r * job.x_stride + 2 * k));
      left[r] = _mm512_dpbf16_ps(left[r], value, w0);
      right[r] = _mm512_dpbf16_ps(right[r], value, w1);
    }
  }
  float* out = job.sums + static_cast<ptrdiff_t>(row) * job.ld_sums;
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r, out += job.ld_sums) {
    _mm512_storeu_ps(out, left[r]);
    _mm512_storeu_ps(out + 16, right[r]);
  }
}

// Sums of 64 products are made in half precision (128 steps of K, even and odd ones apart) and
// then added up in f32: about the error of rounding both factors to bf16, at twice the f32 rate.
constexpr int32_t kHalfSteps = 128;

template <int kRows>
REX_FP16 inline void f16_tile(const PanelJob& job, int32_t row) {
  const char* x = row_of(job, row);
  const auto* w = static_cast<const __m512i*>(job.panel);
  alignas(64) float apart[kRows][2 * kPanelColumns] = {};  // even and odd sums of each column
  const char* fetch = job.fetch_begin(row, job.depth / 2);
  for (int32_t first = 0; first < job.depth; first += kHalfSteps) {
    const int32_t end = first + kHalfSteps < job.depth ? first + kHalfSteps : job.depth;
    __m512h left[kRows], right[kRows];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) left[r] = right[r] = _mm512_setzero_ph();
    for (int32_t k = first; k < end; k += 2, w += 2, fetch += 64) {
      __builtin_prefetch(fetch, 0, 2);
      const __m512h w0 = (__m512h)_mm512_load_si512(w), w1 = (__m512h)_mm512_load_si512(w + 1);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const auto value = (__m512h)_mm512_set1_epi32(four_bytes(x + r * job.x_stride + 2 * k));
        left[r] = _mm512_fmadd_ph(value, w0, left[r]);
        right[r] = _mm512_fmadd_ph(value, w1, right[r]);
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m512i l = (__m512i)left[r], h = (__m512i)right[r];
      __m512 part[4] = {_mm512_cvtph_ps(_mm512_castsi512_si256(l)),
                        _mm512_cvtph_ps(_mm512_extracti64x4_epi64(l, 1)),
                        _mm512_cvtph_ps(_mm512_castsi512_si256(h)),
                        _mm512_cvtph_ps(_mm512_extracti64x4_epi64(h, 1))};
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        if (first > 0) part[v] = _mm512_add_ps(part[v], _mm512_load_ps(&apart[r][16 * v]));
        _mm512_store_ps(&apart[r][16 * v], part[v]);
      }
    }
  }
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  float* out = job.sums + static_cast<ptrdiff_t>(row) * job.ld_sums;
  for (int r = 0; r < kRows; ++r, out += job.ld_sums) {
    for (int v = 0; v < 2; ++v) {
      const __m512 a = _mm512_load_ps(&apart[r][32 * v]),
                   b = _mm512_load_ps(&apart[r][32 * v + 16]);
      _mm512_storeu_ps(out + 16 * v, _mm512_add_ps(_mm512_permutex2var_ps(a, even, b),
                                                   _mm512_permutex2var_ps(a, odd, b)));
    }
  }
}

}  // namespace

REX_VNNI void panel_int8_avx512(const PanelJob& job) {
  for_row_tiles<14>(job.rows, [&](auto count, int32_t row)
                                  REX_VNNI { int8_tile<decltype(count)::value>(job, row); });
}
REX_BF16 void panel_bf16_avx512(const PanelJob& job) {
  for_row_tiles<14>(job.rows, [&](auto count, int32_t row)
                                  REX_BF16 { bf16_tile<decltype(count)::value>(job, row); });
}
REX_FP16 void panel_f16_avx512(const PanelJob& job) {
  for_row_tiles<14>(job.rows, [&](auto count, int32_t row)
                                  REX_FP16 { f16_tile<decltype(count)::value>(job, row); });
}

}  // namespace rex::engine
#endif
