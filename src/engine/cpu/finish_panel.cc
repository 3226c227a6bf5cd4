#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/finish_panel.cc"
// clang-format off: first, since it compiles the rest once for each target
#include "hwy/foreach_target.h"
// clang-format on

#include "engine/cpu/finish_panel.h"

#include <cmath>
#include <cstring>

#include "engine/cpu/gelu-inl.h"
#include "hwy/highway.h"
#include "model/tensor.h"

HWY_BEFORE_NAMESPACE();
namespace rex::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using I32 = hn::RebindToSigned<F32>;

// One row of 32 values, `out` with room for all of them.
HWY_INLINE void finish_row(const PanelFinish& f, int32_t row, float* HWY_RESTRICT out) {
  const F32 d;
  const I32 di;
  const auto lanes = static_cast<int32_t>(hn::Lanes(d));
  const float* HWY_RESTRICT sums = f.sums + row * kPanelColumns;
  for (int32_t c = 0; c < kPanelColumns; c += lanes) {
    auto value = hn::LoadU(d, sums + c);
    if (f.column_scale != nullptr) {
      const auto whole =
          hn::Sub(hn::LoadU(di, reinterpret_cast<const int32_t*>(sums) + c),
                  hn::Mul(hn::Set(di, f.row_zero[row]), hn::LoadU(di, f.column_sum + c)));
      const auto scale = hn::Mul(hn::Set(d, f.row_scale[row]), hn::LoadU(d, f.column_scale + c));
      value = hn::Mul(hn::ConvertTo(d, whole), scale);
    }
    value = hn::Add(value, hn::LoadU(d, f.bias + c));
    if (f.epilogue == Epilogue::kBiasGelu) value = gelu(d, value);
    if (f.epilogue == Epilogue::kBiasResidual) value = hn::Add(hn::LoadU(d, out + c), value);
    hn::StoreU(value, d, out + c);
  }
}

void finish_panel_impl(const PanelFinish& f) {
  float edge[kPanelColumns] = {};
  for (int32_t row = 0; row < f.rows; ++row) {
    float* y = f.y + row * f.ld_y;
    if (f.columns == kPanelColumns) {
      finish_row(f, row, y);
      continue;
    }
    const auto bytes = static_cast<size_t>(f.columns) * sizeof(float);
    std::memcpy(edge, y, bytes);
    finish_row(f, row, edge);
    std::memcpy(y, edge, bytes);
  }
}

// Smallest and largest value, 0 among them.
struct RowRange {
  float low, high;
};

RowRange range_of(const float* HWY_RESTRICT row, size_t width) {
  const F32 d;
  const size_t lanes = hn::Lanes(d), whole = width / lanes * lanes;
  auto low = hn::Zero(d), high = hn::Zero(d);
  for (size_t i = 0; i < whole; i += lanes) {
    const auto value = hn::LoadU(d, row + i);
    low = hn::Min(low, value);
    high = hn::Max(high, value);
  }
  RowRange range{hn::GetLane(hn::MinOfLanes(d, low)), hn::GetLane(hn::MaxOfLanes(d, high))};
  for (size_t i = whole; i < width; ++i) {
    range.low = row[i] < range.low ? row[i] : range.low;
    range.high = row[i] > range.high ? row[i] : range.high;
  }
  return range;
}

void quantise_impl(const float* HWY_RESTRICT row, size_t width, uint8_t* HWY_RESTRICT out,
                   float* scale, int32_t* zero) {
  const F32 d;
  const I32 di;
  const hn::Rebind<uint8_t, I32> du8;
  const RowRange range = range_of(row, width);
  const float step = range.high > range.low ? (range.high - range.low) / 255.0F : 1.0F;
  const float per_step = 1.0F / step;
  const auto origin = static_cast<int32_t>(std::lrint(-range.low * per_step));
  *scale = step;
  *zero = origin;
  const size_t lanes = hn::Lanes(d), whole = width / lanes * lanes;
  const auto factor = hn::Set(d, per_step);
  const auto shift = hn::Set(di, origin), most = hn::Set(di, 255);
  for (size_t i = 0; i < whole; i += lanes) {
    auto value = hn::Add(hn::NearestInt(hn::Mul(hn::LoadU(d, row + i), factor)), shift);
    value = hn::Min(hn::Max(value, hn::Zero(di)), most);
    hn::StoreU(hn::DemoteTo(du8, value), du8, out + i);
  }
  for (size_t i = whole; i < width; ++i) {
    const auto value = static_cast<int32_t>(std::lrint(row[i] * per_step)) + origin;
    out[i] = static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
  }
}

// To nearest, ties to even; not for infinities and NaN, which stay what they are by luck of the
// carry only in the first case: a NaN logit is no link (Q3) whatever its bits.
void to_bf16_impl(const float* HWY_RESTRICT row, size_t width, uint16_t* HWY_RESTRICT out) {
  for (size_t i = 0; i < width; ++i) {
    uint32_t bits;
    std::memcpy(&bits, row + i, sizeof bits);
    out[i] = static_cast<uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
  }
}

void to_f16_impl(const float* HWY_RESTRICT row, size_t width, uint16_t* HWY_RESTRICT out) {
  const F32 d;
  const hn::Rebind<hwy::float16_t, F32> dh;
  const size_t lanes = hn::Lanes(d), whole = width / lanes * lanes;
  const auto most = hn::Set(d, 65504.0F), least = hn::Set(d, -65504.0F);
  for (size_t i = 0; i < whole; i += lanes) {
    const auto value = hn::Min(hn::Max(hn::LoadU(d, row + i), least), most);
    hn::StoreU(hn::DemoteTo(dh, value), dh, reinterpret_cast<hwy::float16_t*>(out + i));
  }
  if (whole == width) return;
  model::encode_floats({row + whole, width - whole}, model::DType::kF16,
                       std::as_writable_bytes(std::span(out + whole, width - whole)));
}

}  // namespace rex::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rex::engine {

HWY_EXPORT(finish_panel_impl);
HWY_EXPORT(quantise_impl);
HWY_EXPORT(to_bf16_impl);
HWY_EXPORT(to_f16_impl);

void finish_panel(const PanelFinish& finish) {
  HWY_DYNAMIC_DISPATCH(finish_panel_impl)(finish);
}

ptrdiff_t converted_bytes(RowType type, int32_t width) {
  return static_cast<ptrdiff_t>((width + kDepthStep - 1) / kDepthStep * kDepthStep) *
         bytes_of(type);
}

void convert_row(RowType type, std::span<const float> row, void* out, float* scale, int32_t* zero) {
  const size_t width = row.size();
  if (type == RowType::kU8) {
    HWY_DYNAMIC_DISPATCH(quantise_impl)(row.data(), width, static_cast<uint8_t*>(out), scale, zero);
  } else if (type == RowType::kF16) {
    HWY_DYNAMIC_DISPATCH(to_f16_impl)(row.data(), width, static_cast<uint16_t*>(out));
  } else {
    HWY_DYNAMIC_DISPATCH(to_bf16_impl)(row.data(), width, static_cast<uint16_t*>(out));
  }
  const size_t used = width * static_cast<size_t>(bytes_of(type));
  const auto all = static_cast<size_t>(converted_bytes(type, static_cast<int32_t>(width)));
  std::memset(static_cast<char*>(out) + used, 0, all - used);
}

}  // namespace rex::engine
#endif
