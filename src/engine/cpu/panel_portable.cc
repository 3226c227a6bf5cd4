// Kernels for every instruction set that Highway knows, compiled once for each. On AVX-512 the f32
// kernel is the fastest there is; bf16 weights widened to f32 are so on processors whose bf16
// instruction is slower than that (Intel without AMX).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/panel_portable.cc"
// clang-format off: first, since it compiles the rest once for each target
#include "hwy/foreach_target.h"
// clang-format on

#include "engine/cpu/panel_portable.h"

#include <cstring>

#include "engine/cpu/panel.h"
#include "engine/cpu/row_tiles.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rex::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using I32 = hn::RebindToSigned<F32>;

// Registers hold rows × 2 vectors of sums beside the operands: 32 of them on AVX-512 and Arm.
constexpr bool kManyRegisters = HWY_LANES(float) >= 16;

// One tile: kRows rows times two vectors of columns.
struct F32Tile {
  static constexpr int kRows = kManyRegisters ? 14 : 6;
  template <int kCount>
  static HWY_INLINE void run(const PanelJob& job, int32_t row, int32_t column) {
    const F32 d;
    const size_t lanes = hn::Lanes(d);
    const auto stride = static_cast<size_t>(job.x_stride) / sizeof(float);
    const float* HWY_RESTRICT x =
        static_cast<const float*>(job.x) + static_cast<size_t>(row) * stride;
    const float* HWY_RESTRICT w = static_cast<const float*>(job.panel) + column;
    hn::Vec<F32> left[kCount], right[kCount];
    for (int r = 0; r < kCount; ++r) left[r] = right[r] = hn::Zero(d);
    const auto depth = static_cast<size_t>(job.depth);
    const char* fetch = job.fetch_begin(row, job.depth);
    for (size_t k = 0; k < depth; ++k, w += kPanelColumns, fetch += 64) {
      __builtin_prefetch(fetch, 0, 2);
      const auto w0 = hn::Load(d, w), w1 = hn::Load(d, w + lanes);
      for (int r = 0; r < kCount; ++r) {
        const auto value = hn::Set(d, x[static_cast<size_t>(r) * stride + k]);
        left[r] = hn::MulAdd(value, w0, left[r]);
        right[r] = hn::MulAdd(value, w1, right[r]);
      }
    }
    float* HWY_RESTRICT out = job.sums + static_cast<ptrdiff_t>(row) * job.ld_sums + column;
    for (int r = 0; r < kCount; ++r, out += job.ld_sums) {
      hn::StoreU(left[r], d, out);
      hn::StoreU(right[r], d, out + lanes);
    }
  }
};

// Two steps of K at once: the low and the high halves of each pair are two rows of weights.
struct BF16Tile {
  static constexpr int kRows = kManyRegisters ? 12 : 5;
  template <int kCount>
  static HWY_INLINE void run(const PanelJob& job, int32_t row, int32_t column) {
    const F32 d;
    const U32 du;
    const size_t lanes = hn::Lanes(d);
    const auto stride = static_cast<size_t>(job.x_stride) / sizeof(float);
    const float* HWY_RESTRICT x =
        static_cast<const float*>(job.x) + static_cast<size_t>(row) * stride;
    const uint32_t* HWY_RESTRICT w = static_cast<const uint32_t*>(job.panel) + column;
    const auto high = hn::Set(du, 0xFFFF0000U);
    hn::Vec<F32> left[kCount], right[kCount];
    for (int r = 0; r < kCount; ++r) left[r] = right[r] = hn::Zero(d);
    const auto depth = static_cast<size_t>(job.depth);
    const char* fetch = job.fetch_begin(row, job.depth / 2);
    for (size_t k = 0; k < depth; k += 2, w += kPanelColumns, fetch += 64) {
      __builtin_prefetch(fetch, 0, 2);
      const auto pair0 = hn::Load(du, w), pair1 = hn::Load(du, w + lanes);
      const auto even0 = hn::BitCast(d, hn::ShiftLeft<16>(pair0));
      const auto even1 = hn::BitCast(d, hn::ShiftLeft<16>(pair1));
      for (int r = 0; r < kCount; ++r) {
        const auto value = hn::Set(d, x[static_cast<size_t>(r) * stride + k]);
        left[r] = hn::MulAdd(value, even0, left[r]);
        right[r] = hn::MulAdd(value, even1, right[r]);
      }
      const auto odd0 = hn::BitCast(d, hn::And(pair0, high));
      const auto odd1 = hn::BitCast(d, hn::And(pair1, high));
      for (int r = 0; r < kCount; ++r) {
        const auto value = hn::Set(d, x[static_cast<size_t>(r) * stride + k + 1]);
        left[r] = hn::MulAdd(value, odd0, left[r]);
        right[r] = hn::MulAdd(value, odd1, right[r]);
      }
    }
    float* HWY_RESTRICT out = job.sums + static_cast<ptrdiff_t>(row) * job.ld_sums + column;
    for (int r = 0; r < kCount; ++r, out += job.ld_sums) {
      hn::StoreU(left[r], d, out);
      hn::StoreU(right[r], d, out + lanes);
    }
  }
};

#if HWY_TARGET == HWY_SCALAR

// No vectors at all: plain sums in the same order as above.
struct F16Tile {
  static constexpr int kRows = 1;
  template <int kCount>
  static void run(const PanelJob& job, int32_t row, int32_t column) {
    const auto* x =
        reinterpret_cast<const float*>(static_cast<const char*>(job.x) + row * job.x_stride);
    const auto* w = static_cast<const hwy::float16_t*>(job.panel) + 2 * column;
    const hn::CappedTag<float, 1> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> dh;
    for (int32_t c = 0; c < 2; ++c) {
      float sums[2] = {0.0F, 0.0F};
      for (int32_t k = 0; k < job.depth; ++k) {
        const auto weight =
            hn::PromoteTo(d, hn::Load(dh, w + k / 2 * 2 * kPanelColumns + 2 * c + k % 2));
        sums[k % 2] = hn::GetLane(hn::MulAdd(hn::Set(d, x[k]), weight, hn::Set(d, sums[k % 2])));
      }
      job.sums[static_cast<ptrdiff_t>(row) * job.ld_sums + column + c] = sums[0] + sums[1];
    }
  }
};

struct Int8Tile {
  static constexpr int kRows = 1;
  template <int kCount>
  static void run(const PanelJob& job, int32_t row, int32_t column) {
    const auto* x = static_cast<const uint8_t*>(job.x) + row * job.x_stride;
    const auto* w = static_cast<const int8_t*>(job.panel) + 4 * column;
    for (int32_t c = 0; c < 2; ++c) {
      int32_t sum = 0;
      for (int32_t k = 0; k < job.depth; ++k)
        sum += x[k] * w[k / 4 * 4 * kPanelColumns + 4 * c + k % 4];
      reinterpret_cast<int32_t*>(job.sums)[static_cast<ptrdiff_t>(row) * job.ld_sums + column + c] =
          sum;
    }
  }
};

#else

// The pairs stay side by side: even and odd steps are summed apart and added at the end.
struct F16Tile {
  static constexpr int kRows = kManyRegisters ? 6 : 2;
  template <int kCount>
  static HWY_INLINE void run(const PanelJob& job, int32_t row, int32_t column) {
    const F32 d;
    const hn::Rebind<hwy::float16_t, F32> dh;
    const hn::Repartition<uint64_t, F32> du64;
    const size_t lanes = hn::Lanes(d);
    const auto stride = static_cast<size_t>(job.x_stride) / sizeof(float);
    const float* HWY_RESTRICT x =
        static_cast<const float*>(job.x) + static_cast<size_t>(row) * stride;
    const auto* HWY_RESTRICT w = static_cast<const hwy::float16_t*>(job.panel) + 2 * column;
    hn::Vec<F32> sums[kCount][4];
    for (int r = 0; r < kCount; ++r) {
      for (auto& sum : sums[r]) sum = hn::Zero(d);
    }
    const auto depth = static_cast<size_t>(job.depth);
    for (size_t k = 0; k < depth; k += 2, w += 2 * kPanelColumns) {
      hn::Vec<F32> weights[4];
      for (size_t v = 0; v < 4; ++v) weights[v] = hn::PromoteTo(d, hn::Load(dh, w + v * lanes));
      for (int r = 0; r < kCount; ++r) {
        uint64_t pair;
        std::memcpy(&pair, x + static_cast<size_t>(r) * stride + k, sizeof pair);
        const auto value = hn::BitCast(d, hn::Set(du64, pair));
        for (size_t v = 0; v < 4; ++v) sums[r][v] = hn::MulAdd(value, weights[v], sums[r][v]);
      }
    }
    HWY_ALIGN float apart[4 * HWY_LANES(float)];
    float* HWY_RESTRICT out = job.sums + static_cast<ptrdiff_t>(row) * job.ld_sums + column;
    for (int r = 0; r < kCount; ++r, out += job.ld_sums) {
      for (size_t v = 0; v < 4; ++v) hn::Store(sums[r][v], d, apart + v * lanes);
      for (size_t c = 0; c < 2 * lanes; ++c) out[c] = apart[2 * c] + apart[2 * c + 1];
    }
  }
};

// Four steps of K a column, widened to 16 bits and multiplied in pairs; integers, hence exact.
struct Int8Tile {
  static constexpr int kRows = kManyRegisters ? 6 : 2;
  template <int kCount>
  static HWY_INLINE void run(const PanelJob& job, int32_t row, int32_t column) {
    const I32 d;
    const hn::Repartition<int16_t, I32> d16;
    const hn::Rebind<int8_t, decltype(d16)> d8;
    const hn::Rebind<uint8_t, decltype(d16)> du8;
    const hn::Repartition<uint32_t, decltype(du8)> du32;
    const size_t lanes = hn::Lanes(d);
    const auto* HWY_RESTRICT x = static_cast<const uint8_t*>(job.x) + row * job.x_stride;
    const auto* HWY_RESTRICT w = static_cast<const int8_t*>(job.panel) + 4 * column;
    // A vector of `lanes` pairs covers lanes / 2 columns: four of them for 2 × lanes columns.
    hn::Vec<I32> sums[kCount][4], more[kCount][4];
    for (int r = 0; r < kCount; ++r) {
      for (size_t v = 0; v < 4; ++v) sums[r][v] = more[r][v] = hn::Zero(d);
    }
    const auto depth = static_cast<size_t>(job.depth);
    for (size_t k = 0; k < depth; k += 4, w += 4 * kPanelColumns) {
      hn::Vec<decltype(d16)> weights[4];
      for (size_t v = 0; v < 4; ++v)
        weights[v] = hn::PromoteTo(d16, hn::Load(d8, w + 2 * v * lanes));
      for (int r = 0; r < kCount; ++r) {
        uint32_t four;
        std::memcpy(&four, x + r * job.x_stride + static_cast<ptrdiff_t>(k), sizeof four);
        const auto value = hn::PromoteTo(d16, hn::BitCast(du8, hn::Set(du32, four)));
        for (size_t v = 0; v < 4; ++v) {
          sums[r][v] = hn::ReorderWidenMulAccumulate(d, value, weights[v], sums[r][v], more[r][v]);
        }
      }
    }
    HWY_ALIGN int32_t apart[4 * HWY_LANES(float)];
    auto* out =
        reinterpret_cast<int32_t*>(job.sums) + static_cast<ptrdiff_t>(row) * job.ld_sums + column;
    for (int r = 0; r < kCount; ++r, out += job.ld_sums) {
      for (size_t v = 0; v < 4; ++v) {
        hn::Store(hn::RearrangeToOddPlusEven(sums[r][v], more[r][v]), d, apart + v * lanes);
      }
      for (size_t c = 0; c < 2 * lanes; ++c) out[c] = apart[2 * c] + apart[2 * c + 1];
    }
  }
};

#endif

template <class Tile>
HWY_INLINE void run_panel(const PanelJob& job) {
  const auto step = static_cast<int32_t>(2 * hn::Lanes(F32()));
  for (int32_t column = 0; column < kPanelColumns; column += step) {
    for_row_tiles<Tile::kRows>(job.rows, [&](auto count, int32_t row) HWY_ATTR {
      Tile::template run<decltype(count)::value>(job, row, column);
    });
  }
}

void panel_f32(const PanelJob& job) {
  run_panel<F32Tile>(job);
}
void panel_bf16(const PanelJob& job) {
  run_panel<BF16Tile>(job);
}
void panel_f16(const PanelJob& job) {
  run_panel<F16Tile>(job);
}
void panel_int8(const PanelJob& job) {
  run_panel<Int8Tile>(job);
}
const char* target() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace rex::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rex::engine {

HWY_EXPORT(panel_f32);
HWY_EXPORT(panel_bf16);
HWY_EXPORT(panel_f16);
HWY_EXPORT(panel_int8);
HWY_EXPORT(target);

void portable_panel_f32(const PanelJob& job) {
  HWY_DYNAMIC_DISPATCH(panel_f32)(job);
}
void portable_panel_bf16(const PanelJob& job) {
  HWY_DYNAMIC_DISPATCH(panel_bf16)(job);
}
void portable_panel_f16(const PanelJob& job) {
  HWY_DYNAMIC_DISPATCH(panel_f16)(job);
}
void portable_panel_int8(const PanelJob& job) {
  HWY_DYNAMIC_DISPATCH(panel_int8)(job);
}
const char* portable_target() {
  return HWY_DYNAMIC_DISPATCH(target)();
}

}  // namespace rex::engine
#endif
