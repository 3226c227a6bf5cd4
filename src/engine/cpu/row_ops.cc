#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/row_ops.cc"
// clang-format off: first, since it compiles the rest once for each target
#include "hwy/foreach_target.h"
// clang-format on

#include "engine/cpu/row_ops.h"

#include <cmath>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rex::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two passes over a row that is in the first-level cache: the mean first, then the squares of the
// differences, which loses no digits to cancellation.
void layer_norm_impl(const NormView& norm, float* row, size_t width) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const size_t whole = width / lanes * lanes;
  const auto count = static_cast<float>(width);

  auto sums = hn::Zero(d);
  for (size_t i = 0; i < whole; i += lanes) sums = hn::Add(sums, hn::LoadU(d, row + i));
  float sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (size_t i = whole; i < width; ++i) sum += row[i];
  const float mean = sum / count;

  const auto means = hn::Set(d, mean);
  auto squares = hn::Zero(d);
  for (size_t i = 0; i < whole; i += lanes) {
    const auto difference = hn::Sub(hn::LoadU(d, row + i), means);
    squares = hn::MulAdd(difference, difference, squares);
  }
  float square = hn::GetLane(hn::SumOfLanes(d, squares));
  for (size_t i = whole; i < width; ++i) square += (row[i] - mean) * (row[i] - mean);
  const float scale = 1.0F / std::sqrt(square / count + norm.eps);

  const auto scales = hn::Set(d, scale);
  for (size_t i = 0; i < whole; i += lanes) {
    const auto unit = hn::Mul(hn::Sub(hn::LoadU(d, row + i), means), scales);
    hn::StoreU(hn::MulAdd(unit, hn::LoadU(d, norm.weight + i), hn::LoadU(d, norm.bias + i)), d,
               row + i);
  }
  for (size_t i = whole; i < width; ++i) {
    row[i] = (row[i] - mean) * scale * norm.weight[i] + norm.bias[i];
  }
}

}  // namespace rex::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rex::engine {

HWY_EXPORT(layer_norm_impl);

void layer_norm(const NormView& norm, std::span<float> row) {
  HWY_DYNAMIC_DISPATCH(layer_norm_impl)(norm, row.data(), row.size());
}

void add_layer_norm(const NormView& norm, std::span<float> row, std::span<const float> other) {
  for (size_t i = 0; i < row.size(); ++i) row[i] += other[i];
  layer_norm(norm, row);
}

void rotate_row(std::span<const float> cosine, std::span<const float> sine, std::span<float> row) {
  for (size_t i = 0; i < cosine.size(); ++i) {
    const float even = row[2 * i], odd = row[2 * i + 1];
    row[2 * i] = even * cosine[i] - odd * sine[i];
    row[2 * i + 1] = odd * cosine[i] + even * sine[i];
  }
}

}  // namespace rex::engine
#endif
