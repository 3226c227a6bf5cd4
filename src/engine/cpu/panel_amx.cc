// AMX kernels: tiles of 16 rows by 64 bytes. Two by two result tiles cover 32 rows and a panel's 32
// columns; the panel's layout is the one that the tile unit reads.
#include "engine/cpu/panel_x86.h"

#if REX_X86_PANELS
#include <immintrin.h>

namespace rex::engine {
namespace {

#define REX_AMX __attribute__((target("avx512f,amx-tile,amx-bf16,amx-int8")))

// The operand of LDTILECFG. Tiles 0–3 results, 4 and 5 rows, 6 and 7 weights.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t bytes[16] = {};
  uint8_t rows[16] = {};
};

// x tiles of `upper` and `lower` rows (1…16 and 0…16), all else whole.
REX_AMX inline void configure(int32_t upper, int32_t lower) {
  TileConfig config;
  for (int t = 0; t < 8; ++t) config.bytes[t] = 64;
  const auto up = static_cast<uint8_t>(upper);
  const auto low = static_cast<uint8_t>(lower > 0 ? lower : 1);
  config.rows[0] = config.rows[1] = config.rows[4] = up;
  config.rows[2] = config.rows[3] = config.rows[5] = low;
  config.rows[6] = config.rows[7] = 16;
  _tile_loadconfig(&config);
}

// A step is 64 bytes of a row; it meets 16 lines of the panel, 128 bytes apart.
template <bool kInt8>
REX_AMX inline void amx_rows(const PanelJob& job, int32_t row, int32_t upper, int32_t lower) {
  constexpr int32_t kStep = kInt8 ? 64 : 32;
  const char* x = static_cast<const char*>(job.x) + row * job.x_stride;
  const char* x_low = x + 16 * job.x_stride;
  const char* w = static_cast<const char*>(job.panel);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int32_t k = 0; k < job.depth; k += kStep, x += 64, x_low += 64, w += 16 * 128) {
    _tile_loadd(4, x, job.x_stride);
    _tile_loadd(6, w, 128);
    _tile_loadd(7, w + 64, 128);
    if constexpr (kInt8) {
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
    } else {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
    }
    if (lower > 0) {
      _tile_loadd(5, x_low, job.x_stride);
      if constexpr (kInt8) {
        _tile_dpbusd(2, 5, 6);
        _tile_dpbusd(3, 5, 7);
      } else {
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
    }
  }
  float* out = job.sums + static_cast<ptrdiff_t>(row) * job.ld_sums;
  _tile_stored(0, out, job.ld_sums * 4);
  _tile_stored(1, out + 16, job.ld_sums * 4);
  if (lower > 0) {
    _tile_stored(2, out + 16 * static_cast<ptrdiff_t>(job.ld_sums), job.ld_sums * 4);
    _tile_stored(3, out + 16 * static_cast<ptrdiff_t>(job.ld_sums) + 16, job.ld_sums * 4);
  }
  (void)upper;
}

template <bool kInt8>
REX_AMX inline void amx_panel(const PanelJob& job) {
  int32_t configured = 0;  // rows that the present configuration is for
  for (int32_t row = 0; row < job.rows; row += 32) {
    const int32_t rows = job.rows - row < 32 ? job.rows - row : 32;
    const int32_t upper = rows < 16 ? rows : 16, lower = rows - upper;
    if (rows != configured) configure(upper, lower);
    configured = rows;
    amx_rows<kInt8>(job, row, upper, lower);
  }
  _tile_release();
}

}  // namespace

REX_AMX void panel_bf16_amx(const PanelJob& job) {
  amx_panel<false>(job);
}
REX_AMX void panel_int8_amx(const PanelJob& job) {
  amx_panel<true>(job);
}

}  // namespace rex::engine
#endif
