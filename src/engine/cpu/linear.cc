#include "engine/cpu/linear.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/check.h"
#include "engine/cpu/finish_panel.h"
#include "model/tensor.h"

namespace rex::engine {
namespace {

constexpr int32_t kTasksAThread = 6;         // so that no thread waits long for the last task
constexpr int32_t kSliceBytes = 512 * 1024;  // of panels in one task: a share of the L2 cache

int32_t rounded(int32_t value, int32_t step) {
  return (value + step - 1) / step * step;
}

// Values that lie side by side in a panel: one lane of the kernels.
int32_t group_of(WeightType type) {
  return type == WeightType::kF32 ? 1 : type == WeightType::kInt8 ? 4 : 2;
}

// Calls put(index in the panel, value) for one column's values.
template <class Put>
void place_column(int32_t column, int32_t group, std::span<const float> values, const Put& put) {
  for (size_t k = 0; k < values.size(); ++k) {
    const auto g = static_cast<size_t>(group);
    put((k / g * kPanelColumns + static_cast<size_t>(column)) * g + k % g, values[k]);
  }
}

bool all_finite(std::span<const float> values, float limit) {
  return std::all_of(values.begin(), values.end(),
                     [=](float v) { return std::abs(v) <= limit; });  // false for NaN
}

}  // namespace

int32_t LinearShape::depth() const {
  return type == WeightType::kF32 ? in : rounded(in, kDepthStep);
}
int32_t LinearShape::panels() const {
  return rounded(out, kPanelColumns) / kPanelColumns;
}
size_t LinearShape::weight_bytes() const {
  return static_cast<size_t>(panels()) * kPanelColumns * static_cast<size_t>(depth()) *
         static_cast<size_t>(bytes_of(type));
}

bool pack_weight(const LinearShape& shape, std::span<const float> weight,
                 std::span<std::byte> panels, std::span<float> scale, std::span<int32_t> sum) {
  REX_CHECK(weight.size() == static_cast<size_t>(shape.in) * static_cast<size_t>(shape.out),
            "weight is [out, in]");
  REX_CHECK(panels.size() == shape.weight_bytes(), "room for the packed weight");
  constexpr float kLargestHalf = 65504.0F;
  constexpr float kLargest = 3e38F;
  if (!all_finite(weight, shape.type == WeightType::kF16 ? kLargestHalf : kLargest)) return false;
  std::memset(panels.data(), 0, panels.size());
  const size_t panel_bytes = panels.size() / static_cast<size_t>(shape.panels());
  const auto in = static_cast<size_t>(shape.in);
  const int32_t group = group_of(shape.type);
  std::vector<std::byte> encoded(in * 2);
  for (int32_t column = 0; column < shape.out; ++column) {
    const auto values = weight.subspan(static_cast<size_t>(column) * in, in);
    std::byte* panel = panels.data() + static_cast<size_t>(column / kPanelColumns) * panel_bytes;
    const int32_t place = column % kPanelColumns;
    switch (shape.type) {
      case WeightType::kF32:
        place_column(place, group, values,
                     [&](size_t i, float v) { reinterpret_cast<float*>(panel)[i] = v; });
        break;
      case WeightType::kBF16:
      case WeightType::kF16: {
        model::encode_floats(
            values, shape.type == WeightType::kF16 ? model::DType::kF16 : model::DType::kBF16,
            encoded);
        size_t k = 0;
        place_column(place, group, values, [&](size_t i, float) {
          std::memcpy(panel + 2 * i, encoded.data() + 2 * k++, 2);
        });
        break;
      }
      case WeightType::kInt8: {
        float most = 0.0F;
        for (const float v : values) most = std::max(most, std::abs(v));
        const float step = most > 0.0F ? most / 127.0F : 1.0F;
        int32_t total = 0;
        place_column(place, group, values, [&](size_t i, float v) {
          const auto rounded_value = static_cast<int32_t>(v / step + std::copysign(0.5F, v));
          reinterpret_cast<int8_t*>(panel)[i] = static_cast<int8_t>(rounded_value);
          total += rounded_value;
        });
        scale[static_cast<size_t>(column)] = step;
        sum[static_cast<size_t>(column)] = total;
        break;
      }
    }
  }
  return true;
}

Linear::Linear(const LinearShape& shape, const LinearParts& parts, Epilogue epilogue)
    : shape_(shape), parts_(parts), epilogue_(epilogue), kernel_(panel_kernel(shape.type)) {
  const auto columns = static_cast<size_t>(shape.panels()) * kPanelColumns;
  REX_CHECK(shape.in % 2 == 0, "kernels take two values of a row at once");
  REX_CHECK(parts.weight.size() == shape.weight_bytes(), "packed weight");
  REX_CHECK(parts.bias.size() == columns, "packed bias");
  REX_CHECK(shape.type != WeightType::kInt8 ||
                (parts.scale.size() == columns && parts.sum.size() == columns),
            "packed scales and sums");
}

Linear::Cut Linear::cut(int32_t rows, int32_t threads) const {
  Cut c{};
  c.blocks = (rows + kPanelRows - 1) / kPanelRows;
  c.block_rows = rounded((rows + c.blocks - 1) / c.blocks, 2);
  c.blocks = (rows + c.block_rows - 1) / c.block_rows;
  const int32_t panels = shape_.panels();
  const auto panel_bytes = static_cast<int32_t>(shape_.weight_bytes()) / panels;
  const int32_t fit = std::max(1, kSliceBytes / panel_bytes);
  const int32_t wanted = panels * c.blocks / (kTasksAThread * threads);
  c.slice_panels = std::clamp(wanted, 1, fit);
  c.slices = (panels + c.slice_panels - 1) / c.slice_panels;
  return c;
}

int32_t Linear::task_count(int32_t rows, int32_t threads) const {
  const Cut c = cut(rows, threads);
  return c.blocks * c.slices;
}

void Linear::run_task(int32_t task, int32_t rows, int32_t threads, const RowsView& x,
                      float* y) const {
  const Cut c = cut(rows, threads);
  const int32_t first_row = task % c.blocks * c.block_rows;
  const int32_t first_panel = task / c.blocks * c.slice_panels;
  const int32_t count = std::min(c.block_rows, rows - first_row);
  const int32_t end = std::min(shape_.panels(), first_panel + c.slice_panels);
  const size_t panel_bytes = shape_.weight_bytes() / static_cast<size_t>(shape_.panels());
  alignas(64) float sums[kPanelRows * kPanelColumns];
  // Rows of floats end where they end; behind them the packed weights hold nothing but zeros.
  const int32_t depth = kernel_.rows == RowType::kF32 ? shape_.in : shape_.depth();
  PanelJob job{static_cast<const std::byte*>(x.data) + first_row * x.stride,
               x.stride,
               count,
               depth,
               nullptr,
               sums};
  PanelFinish finish;
  finish.sums = sums;
  finish.rows = count;
  finish.ld_y = shape_.out;
  finish.epilogue = epilogue_;
  const bool integers = shape_.type == WeightType::kInt8;
  if (integers) finish.row_scale = x.scale + first_row, finish.row_zero = x.zero + first_row;
  for (int32_t panel = first_panel; panel < end; ++panel) {
    const auto column = static_cast<size_t>(panel) * kPanelColumns;
    job.panel = parts_.weight.data() + static_cast<size_t>(panel) * panel_bytes;
    job.next = std::min<const std::byte*>(
        parts_.weight.data() + parts_.weight.size() - panel_bytes,
        parts_.weight.data() + (static_cast<size_t>(panel) + 1) * panel_bytes);
    kernel_.run(job);
    finish.bias = parts_.bias.data() + column;
    if (integers) {
      finish.column_scale = parts_.scale.data() + column;
      finish.column_sum = parts_.sum.data() + column;
    }
    finish.columns = std::min(kPanelColumns, shape_.out - static_cast<int32_t>(column));
    finish.y = y + static_cast<ptrdiff_t>(first_row) * shape_.out + static_cast<ptrdiff_t>(column);
    finish_panel(finish);
  }
}

}  // namespace rex::engine
