#include "engine/cpu/ceiling.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <dnnl.hpp>
#include <numeric>
#include <vector>

#include "engine/cpu/aligned.h"
#include "engine/cpu/panel.h"
#include "engine/cpu/thread_team.h"

namespace rex::engine {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One product [m, k] × [k, n] as the library likes it best.
double gemm_rate(int32_t m, int32_t k, int32_t n) {
  using dnnl::memory;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory::desc any_weights({k, n}, memory::data_type::f32, memory::format_tag::any);
  const memory::desc source({m, k}, memory::data_type::f32, memory::format_tag::ab);
  const memory::desc target({m, n}, memory::data_type::f32, memory::format_tag::ab);
  const dnnl::matmul::primitive_desc chosen({source, any_weights, target}, engine);
  const dnnl::matmul product(chosen);
  std::vector<float> x(source.get_size() / sizeof(float)),
      w(chosen.weights_desc().get_size() / sizeof(float)), y(target.get_size() / sizeof(float));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17) * 0.1F - 0.8F;
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 13) * 0.1F - 0.6F;
  memory xm(source, engine, x.data()), wm(chosen.weights_desc(), engine, w.data()),
      ym(target, engine, y.data());
  const auto run = [&] {
    product.execute(stream, {{DNNL_ARG_SRC, xm}, {DNNL_ARG_WEIGHTS, wm}, {DNNL_ARG_DST, ym}});
    stream.wait();
  };
  run();
  double best = 1e9;
  const auto start = Clock::now();
  while (seconds_since(start) < 0.25) {
    const auto begin = Clock::now();
    run();
    best = std::min(best, seconds_since(begin));
  }
  return 2.0 * m * k * n / best;
}

}  // namespace

double measure_gemm_rate(int32_t threads) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  double best = 0.0;
  for (const auto& [m, k, n] : {std::array{512, 768, 3072}, std::array{512, 3072, 768},
                                std::array{2048, 768, 768}, std::array{1024, 1024, 1024}}) {
    best = std::max(best, gemm_rate(m, k, n));
  }
  omp_set_num_threads(before);
  return best;
}

int32_t bytes_a_weight(Precision precision) {
  return bytes_of(cpu_weight_type(precision));
}

double measure_panel_rate(int32_t threads, Precision precision) {
  constexpr int32_t kDepth = 768, kPanels = 4, kRounds = 20;
  const WeightType type = cpu_weight_type(precision);
  const PanelKernel kernel = panel_kernel(type);
  const size_t panel = size_t{kDepth} * kPanelColumns * static_cast<size_t>(bytes_of(type));
  const ptrdiff_t stride = kDepth * bytes_of(kernel.rows);
  struct Memory {
    AlignedBytes rows, panels;
    AlignedFloats sums;
  };
  std::vector<Memory> memory(static_cast<size_t>(threads));
  for (Memory& m : memory) {
    m.rows = AlignedBytes(static_cast<size_t>(stride * kPanelRows));
    m.panels = AlignedBytes(panel * kPanels);
    m.sums = AlignedFloats(kPanelRows * kPanelColumns);
  }
  ThreadTeam team(threads);
  double best = 1e9;
  const auto start = Clock::now();
  while (seconds_since(start) < 0.5) {
    const auto begin = Clock::now();
    team.run([&](Worker& worker) {
      Memory& m = memory[static_cast<size_t>(worker.index())];
      for (int32_t round = 0; round < kRounds; ++round) {
        for (size_t p = 0; p < kPanels; ++p) {
          const std::byte* at = m.panels.data() + p * panel;
          kernel.run({m.rows.data(), stride, kPanelRows, kDepth, at, m.sums.data(), at});
        }
      }
    });
    best = std::min(best, seconds_since(begin));
  }
  return 2.0 * kRounds * kPanels * kPanelRows * kPanelColumns * kDepth * threads / best;
}

double measure_read_rate(int32_t threads) {
  const size_t count = size_t{64} << 20;  // 512 MiB of doubles
  const std::vector<double> data(count, 1.0);
  std::vector<double> sums(static_cast<size_t>(threads) * 8, 0.0);
  ThreadTeam team(threads);
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const auto begin = Clock::now();
    team.run([&](Worker& worker) {
      worker.for_each(threads, [&](int32_t part) {
        const size_t share = count / static_cast<size_t>(threads);
        const double* at = data.data() + static_cast<size_t>(part) * share;
        double lanes[16] = {};
        for (size_t i = 0; i + 16 <= share; i += 16) {
          for (size_t lane = 0; lane < 16; ++lane) lanes[lane] += at[i + lane];
        }
        sums[static_cast<size_t>(part) * 8] += std::accumulate(lanes, lanes + 16, 0.0);
      });
    });
    best = std::min(best, seconds_since(begin));
  }
  return static_cast<double>(count * sizeof(double)) / best;
}

}  // namespace rex::engine
