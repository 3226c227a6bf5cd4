#include "engine/cpu/linear.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <random>

namespace rex::engine {
namespace {

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

constexpr int32_t kRows = 150;  // two whole row blocks and a rest that is no multiple of 16

Case make_case(int32_t in, int32_t out) {
  return {in, out, random_floats(static_cast<size_t>(in * out), 1, 0.05F),
          random_floats(static_cast<size_t>(out), 2, 1.0F),
          random_floats(static_cast<size_t>(160 * in), 3, 1.0F)};
}

// Runs `rows` rows starting at `first`; every other value of y is left alone.
std::vector<float> run(const Case& c, Epilogue epilogue, int32_t first, int32_t rows, float fill) {
  omp_set_num_threads(1);
  const Linear linear({c.in, c.out, epilogue}, c.weight, c.bias);
  LinearContext context;
  linear.prepare(context);
  const auto padded_rows = static_cast<size_t>((rows + kRowStep - 1) / kRowStep * kRowStep);
  std::vector<float> x(padded_rows * static_cast<size_t>(c.in), 0.0F);
  std::copy_n(c.x.begin() + first * c.in, rows * c.in, x.begin());
  std::vector<float> y(padded_rows * static_cast<size_t>(c.out), fill);
  for (int32_t task = 0; task < linear.task_count(rows); ++task) {
    linear.run_task(task, rows, x.data(), y.data(), context);
  }
  y.resize(static_cast<size_t>(rows * c.out));
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

TEST(Linear, AgreesWithPlainSumsForEveryEpilogue) {
  for (const auto& [in, out] : {std::pair{768, 400}, std::pair{96, 64}, std::pair{1536, 384}}) {
    const Case c = make_case(in, out);
    const auto bias = run(c, Epilogue::kBias, 0, kRows, 0.0F);
    const auto residual = run(c, Epilogue::kBiasResidual, 0, kRows, 3.0F);
    const auto gelu = run(c, Epilogue::kBiasGelu, 0, kRows, 0.0F);
    for (int32_t row = 0; row < kRows; row += 7) {
      for (int32_t column = 0; column < out; ++column) {
        const auto at = static_cast<size_t>(row * out + column);
        const double v = expected(c, row, column);
        EXPECT_NEAR(bias[at], v, 2e-5);
        EXPECT_NEAR(residual[at], v + 3.0, 2e-5);
        EXPECT_NEAR(gelu[at], v / 2 * (1 + std::erf(v / std::sqrt(2.0))), 2e-5);  // M13
      }
    }
  }
}

// The promise of engine.h: a row's bits depend on that row alone.
TEST(Linear, ARowHasTheSameBitsInEveryBlock) {
  for (const auto& [in, out] :
       {std::pair{768, 768}, std::pair{3072, 192}, std::pair{384, 1152}, std::pair{64, 64}}) {
    const Case c = make_case(in, out);
    const auto whole = run(c, Epilogue::kBiasGelu, 0, kRows, 0.0F);
    for (const int32_t rows : {1, 15, 16, 17, 33, 48, 49, 64, 65}) {
      const int32_t first = 40;
      const auto part = run(c, Epilogue::kBiasGelu, first, rows, 0.0F);
      for (size_t i = 0; i < part.size(); ++i) {
        ASSERT_EQ(part[i], whole[static_cast<size_t>(first * out) + i])
            << in << "→" << out << ", " << rows << " rows, value " << i;
      }
    }
  }
}

}  // namespace
}  // namespace rex::engine
