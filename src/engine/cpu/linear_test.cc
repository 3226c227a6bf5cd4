#include "engine/cpu/linear.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "engine/cpu/finish_panel.h"

namespace rex::engine {
namespace {

constexpr WeightType kTypes[] = {WeightType::kF32, WeightType::kBF16, WeightType::kF16,
                                 WeightType::kInt8};

std::vector<float> random_floats(size_t count, uint32_t seed, float deviation) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, deviation);
  std::vector<float> values(count);
  for (float& v : values) v = normal(random);
  return values;
}

struct Case {
  int32_t in, out;
  std::vector<float> weight, bias, x;
};

constexpr int32_t kRows = 150;  // three row blocks, none of a whole number of tiles

Case make_case(int32_t in, int32_t out) {
  return {in, out, random_floats(static_cast<size_t>(in * out), 1, 0.05F),
          random_floats(static_cast<size_t>(out), 2, 1.0F),
          random_floats(static_cast<size_t>(kRows * in), 3, 1.0F)};
}

// A packed product and the memory behind it.
struct Packed {
  Packed(const Case& c, WeightType type, Epilogue epilogue) : shape{c.in, c.out, type} {
    const auto columns = static_cast<size_t>(shape.panels()) * kPanelColumns;
    weight = AlignedBytes(shape.weight_bytes());
    bias = AlignedFloats(columns);
    scale = AlignedFloats(columns);
    sum = AlignedArray<int32_t>(columns);
    std::copy(c.bias.begin(), c.bias.end(), bias.data());
    EXPECT_TRUE(pack_weight(shape, c.weight, weight.span(), scale.span(), sum.span()));
    const Packed& kept = *this;
    linear =
        Linear(shape, {kept.weight.span(), kept.bias.span(), kept.scale.span(), kept.sum.span()},
               epilogue);
  }
  LinearShape shape;
  AlignedBytes weight;
  AlignedFloats bias, scale;
  AlignedArray<int32_t> sum;
  Linear linear;
};

// Runs `rows` rows starting at `first` as `threads` threads would cut them.
std::vector<float> run(const Case& c, const Linear& linear, int32_t first, int32_t rows, float fill,
                       int32_t threads = 1) {
  const auto in = static_cast<size_t>(c.in);
  std::vector<float> y(static_cast<size_t>(rows * c.out), fill);
  const float* x = c.x.data() + static_cast<size_t>(first) * in;
  RowsView view{x, static_cast<ptrdiff_t>(in * sizeof(float)), nullptr, nullptr};
  AlignedBytes converted;
  std::vector<float> scales(static_cast<size_t>(rows));
  std::vector<int32_t> zeros(static_cast<size_t>(rows));
  if (linear.row_type() != RowType::kF32) {
    const ptrdiff_t stride = converted_bytes(linear.row_type(), c.in);
    converted = AlignedBytes(static_cast<size_t>(rows * stride));
    for (int32_t r = 0; r < rows; ++r) {
      convert_row(linear.row_type(), {x + static_cast<size_t>(r) * in, in},
                  converted.data() + r * stride, &scales[static_cast<size_t>(r)],
                  &zeros[static_cast<size_t>(r)]);
    }
    view = {converted.data(), stride, scales.data(), zeros.data()};
  }
  for (int32_t task = 0; task < linear.task_count(rows, threads); ++task)
    linear.run_task(task, rows, threads, view, y.data());
  return y;
}

double expected(const Case& c, int32_t row, int32_t column) {
  double sum = c.bias[static_cast<size_t>(column)];
  for (int32_t k = 0; k < c.in; ++k) {
    sum += static_cast<double>(c.x[static_cast<size_t>(row * c.in + k)]) *
           static_cast<double>(c.weight[static_cast<size_t>(column * c.in + k)]);
  }
  return sum;
}

// Largest error against the exact product, for sums whose deviation is 0.05 · √in: a few roundings
// in f32; three deviations of the rounding of each factor in the others.
double allowed(WeightType type, int32_t in) {
  const double spread = 0.05 * std::sqrt(in);
  switch (type) {
    case WeightType::kF32: return 2e-5;
    case WeightType::kBF16: return 0.012 * spread;
    case WeightType::kF16: return 0.008 * spread;
    case WeightType::kInt8: return 0.05 * spread;
  }
  return 0.0;
}

TEST(Linear, AgreesWithPlainSumsForEveryEpilogue) {
  for (const WeightType type : kTypes) {
    for (const auto& [in, out] : {std::pair{768, 400}, std::pair{96, 64}, std::pair{1536, 390}}) {
      const Case c = make_case(in, out);
      const Packed plain(c, type, Epilogue::kBias), gelu(c, type, Epilogue::kBiasGelu),
          residual(c, type, Epilogue::kBiasResidual);
      const auto a = run(c, plain.linear, 0, kRows, 0.0F);
      const auto b = run(c, residual.linear, 0, kRows, 3.0F);
      const auto g = run(c, gelu.linear, 0, kRows, 0.0F);
      const double most = allowed(type, in);
      for (int32_t row = 0; row < kRows; row += 7) {
        for (int32_t column = 0; column < out; ++column) {
          const auto at = static_cast<size_t>(row * out + column);
          const double v = expected(c, row, column);
          ASSERT_NEAR(a[at], v, most) << name_of(type) << " " << in << "→" << out;
          ASSERT_NEAR(b[at], v + 3.0, most);
          ASSERT_NEAR(g[at], v / 2 * (1 + std::erf(v / std::sqrt(2.0))), 1.2 * most);  // M13
        }
      }
    }
  }
}

// The promise of engine.h: a row's bits depend on that row alone.
TEST(Linear, ARowHasTheSameBitsInEveryBlockAndForEveryThreadCount) {
  for (const WeightType type : kTypes) {
    for (const auto& [in, out] :
         {std::pair{768, 768}, std::pair{3072, 192}, std::pair{384, 1152}, std::pair{64, 64}}) {
      const Case c = make_case(in, out);
      const Packed packed(c, type, Epilogue::kBiasGelu);
      const auto whole = run(c, packed.linear, 0, kRows, 0.0F);
      for (const int32_t rows : {1, 13, 14, 15, 16, 17, 29, 33, 48, 63, 64, 65}) {
        const int32_t first = 40;
        const auto part = run(c, packed.linear, first, rows, 0.0F, rows);
        for (size_t i = 0; i < part.size(); ++i) {
          ASSERT_EQ(part[i], whole[static_cast<size_t>(first * out) + i])
              << name_of(type) << " " << in << "→" << out << ", " << rows << " rows, value " << i;
        }
      }
    }
  }
}

// Every kernel that this machine can run, against plain sums over the values as they are stored.
TEST(PanelKernels, AgreeWithPlainSums) {
  constexpr int32_t kDepth = 320;
  const Case c = make_case(kDepth, kPanelColumns);
  for (const WeightType type : kTypes) {
    const Packed packed(c, type, Epilogue::kBias);
    std::vector<std::vector<int32_t>> results;
    for (const PanelKernel& kernel : usable_panel_kernels(type)) {
      const ptrdiff_t stride = std::max<ptrdiff_t>(converted_bytes(kernel.rows, kDepth), 0);
      AlignedBytes rows(static_cast<size_t>(stride) * 64);
      std::vector<float> scales(64), sums(64 * kPanelColumns);
      std::vector<int32_t> zeros(64);
      for (size_t r = 0; r < 64; ++r) {
        const std::span<const float> x(c.x.data() + r * kDepth, kDepth);
        std::byte* to = rows.data() + static_cast<ptrdiff_t>(r) * stride;
        if (kernel.rows == RowType::kF32) {
          std::copy(x.begin(), x.end(), reinterpret_cast<float*>(to));
        } else {
          convert_row(kernel.rows, x, to, &scales[r], &zeros[r]);
        }
      }
      for (const int32_t count : {64, 1, 17, 40}) {
        kernel.run({rows.data(), stride, count, kDepth, packed.weight.data(), sums.data(),
                    packed.weight.data()});
        for (int32_t r = 0; r < count; ++r) {
          for (int32_t column = 0; column < kPanelColumns; ++column) {
            const auto at = static_cast<size_t>(r * kPanelColumns + column);
            double got = sums[at];
            if (type == WeightType::kInt8) {
              const auto i = static_cast<size_t>(column);
              got = (reinterpret_cast<const int32_t*>(sums.data())[at] -
                     zeros[static_cast<size_t>(r)] * packed.sum[i]) *
                    static_cast<double>(scales[static_cast<size_t>(r)]) * packed.scale[i];
            }
            const double v = expected(c, r, column) - c.bias[static_cast<size_t>(column)];
            ASSERT_NEAR(got, v, allowed(type, kDepth))
                << name_of(type) << " " << kernel.name << ", " << count << " rows, row " << r;
          }
        }
      }
      kernel.run({rows.data(), stride, 64, kDepth, packed.weight.data(), sums.data(),
                  packed.weight.data()});
      std::vector<int32_t>& bits = results.emplace_back(sums.size());
      std::memcpy(bits.data(), sums.data(), sums.size() * sizeof(float));
    }
    ASSERT_FALSE(results.empty());
    if (type == WeightType::kInt8) {  // integers are exact: every kernel gives the same bits
      for (const auto& other : results) EXPECT_EQ(other, results.front());
    }
  }
}

TEST(PackWeight, ValuesThatAreNoNumbersAreRefused) {
  Case c = make_case(64, 32);
  for (const float bad : {std::nanf(""), INFINITY, -INFINITY, 1e5F}) {
    c.weight[77] = bad;
    for (const WeightType type : kTypes) {
      const LinearShape shape{c.in, c.out, type};
      AlignedBytes panels(shape.weight_bytes());
      AlignedFloats scale(32);
      AlignedArray<int32_t> sum(32);
      const bool good = bad == 1e5F && type != WeightType::kF16;  // only halves end at 65,504
      EXPECT_EQ(pack_weight(shape, c.weight, panels.span(), scale.span(), sum.span()), good)
          << name_of(type) << " " << bad;
    }
  }
}

TEST(ConvertRow, U8KeepsZeroAndSpansTheRow) {
  const std::vector<float> row = {-0.17F, 0.0F, 3.0F, 1.5F, -0.01F};
  std::array<uint8_t, 64> out{};
  float scale = 0.0F;
  int32_t zero = 0;
  convert_row(RowType::kU8, row, out.data(), &scale, &zero);
  EXPECT_EQ(out[1], zero);
  for (size_t i = 0; i < row.size(); ++i)
    EXPECT_NEAR(scale * static_cast<float>(out[i] - zero), row[i], scale * 0.51F);
  EXPECT_NEAR(scale, 3.17F / 255.0F, 1e-6F);
  const std::vector<float> flat(5, 0.0F);
  convert_row(RowType::kU8, flat, out.data(), &scale, &zero);
  EXPECT_EQ(out[0], zero);
}

}  // namespace
}  // namespace rex::engine
