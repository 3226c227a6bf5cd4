#include "cli/bench_engine.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "engine/cost.h"
#include "engine/cpu/ceiling.h"
#include "engine/synthetic.h"

namespace rex::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int32_t kShortest = 20;

BenchShape shape_of(int32_t passes, int32_t tokens) {
  return {std::to_string(passes) + "x" + std::to_string(tokens),
          std::vector<int32_t>(static_cast<size_t>(passes), tokens)};
}

// Groups of passes that fit one batch each.
std::vector<engine::SyntheticBatch> batches_of(const BenchShape& shape,
                                               const engine::BatchLimits& limits,
                                               int32_t vocab_rows) {
  std::vector<engine::SyntheticBatch> batches;
  std::vector<int32_t> group;
  int32_t tokens = 0;
  const auto flush = [&] {
    batches.emplace_back(group, vocab_rows, static_cast<uint32_t>(batches.size() + 1));
    group.clear();
    tokens = 0;
  };
  for (const int32_t length : shape.lengths) {
    const bool full =
        tokens + length > limits.tokens || static_cast<int32_t>(group.size()) == limits.passes;
    if (full) flush();
    group.push_back(length);
    tokens += length;
  }
  flush();
  return batches;
}

double milliseconds_now(bool cpu_time) {
  timespec now{};
  clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

Result<double> time_once(engine::Engine& engine, const std::vector<engine::SyntheticBatch>& batches,
                         engine::LinkLists& links, bool cpu_time) {
  const double begin = milliseconds_now(cpu_time);
  for (const engine::SyntheticBatch& batch : batches) REX_TRY_VOID(engine.run(batch.view(), links));
  return milliseconds_now(cpu_time) - begin;
}

double percentile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

}  // namespace

std::vector<BenchShape> standard_shapes() {
  return {shape_of(1, 64), shape_of(1, 128), shape_of(1, 512), shape_of(16, 128)};
}

Result<BenchShape> parse_shape(const std::string& text) {
  if (text == "mixed") {
    BenchShape mixed{"mixed", {}};
    for (int32_t tokens = 32; tokens <= engine::kMaxPassTokens; tokens += 32)
      mixed.lengths.push_back(tokens);
    return mixed;
  }
  int32_t passes = 0, tokens = 0;
  const size_t cross = text.find('x');
  const char* end = text.data() + text.size();
  const auto read = [](const char* first, const char* last, int32_t& value) {
    const auto [stop, error] = std::from_chars(first, last, value);
    return error == std::errc() && stop == last && first != last;
  };
  if (cross == std::string::npos || !read(text.data(), text.data() + cross, passes) ||
      !read(text.data() + cross + 1, end, tokens)) {
    return fail(ErrorCode::kOptionType,
                "\"" + text + "\" is neither PASSESxTOKENS, for example 16x128, nor mixed",
                "--shape");
  }
  if (passes < 1 || passes > 4096 || tokens < kShortest || tokens > engine::kMaxPassTokens) {
    return fail(ErrorCode::kOptionRange, text + ": 1…4096 passes of 20…512 tokens are possible",
                "--shape");
  }
  return shape_of(passes, tokens);
}

Ceilings measure_ceilings(int32_t threads, engine::Precision precision) {
  return {engine::measure_gemm_rate(threads), engine::measure_panel_rate(threads, precision),
          engine::measure_read_rate(threads), engine::bytes_a_weight(precision)};
}

Result<BenchRow> bench_shape(engine::Engine& engine, const model::ModelConfig& config,
                             const BenchShape& shape, const Ceilings& ceilings, double seconds,
                             bool cpu_time) {
  const auto batches = batches_of(shape, engine.info().limits, config.vocab_rows);
  engine::LinkLists links;
  for (int warm_up = 0; warm_up < 2; ++warm_up)
    REX_TRY_VOID(time_once(engine, batches, links, cpu_time));
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 5 ||
         std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    REX_TRY(milliseconds, time_once(engine, batches, links, cpu_time));
    times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());

  BenchRow row;
  row.shape = shape.name;
  row.runs = static_cast<int32_t>(times.size());
  double flops = 0.0;
  for (const int32_t length : shape.lengths) {
    row.tokens += length;
    flops += engine::pass_flops(config, length);
  }
  row.min_ms = times.front();
  row.median_ms = percentile(times, 0.5);
  row.low_ms = percentile(times, 0.1);
  row.high_ms = percentile(times, 0.9);
  row.tokens_per_second = row.tokens / row.median_ms * 1e3;
  row.gflops = flops / row.median_ms / 1e6;
  if (ceilings.flops > 0) {
    row.compute_floor_ms = flops / ceilings.flops * 1e3;
    row.weight_floor_ms =
        engine::weight_stream_bytes(config, ceilings.weight_bytes) / ceilings.bytes * 1e3;
  }
  row.floor_ms = std::max(row.compute_floor_ms, row.weight_floor_ms);
  return row;
}

std::string to_table(const std::vector<BenchRow>& rows, const Ceilings& ceilings) {
  std::string text;
  char line[200];
  if (ceilings.flops > 0) {
    std::snprintf(
        line, sizeof line,
        "measured ceilings: %.0f Gop/s (products of this precision; oneDNN in f32: %.0f), "
        "%.1f GB/s (read)\n",
        ceilings.flops / 1e9, ceilings.library_flops / 1e9, ceilings.bytes / 1e9);
    text += line;
  } else {
    text += "no ceilings were measured: floors are 0\n";
  }
  text +=
      "shape    tokens     min ms  median ms   10 %…90 %        tokens/s  GFLOP/s  floor ms  of "
      "floor"
      "  bound by\n";
  for (const BenchRow& r : rows) {
    std::snprintf(line, sizeof line,
                  "%-8s %6d %10.2f %10.2f  %6.2f…%-8.2f %9.0f %8.0f %9.2f %8.0f%%  %s\n",
                  r.shape.c_str(), r.tokens, r.min_ms, r.median_ms, r.low_ms, r.high_ms,
                  r.tokens_per_second, r.gflops, r.floor_ms, 100 * r.of_floor(),
                  r.compute_floor_ms >= r.weight_floor_ms ? "compute" : "weights");
    text += line;
  }
  return text;
}

Json to_json(const std::vector<BenchRow>& rows, const Ceilings& ceilings) {
  Json list = Json::array();
  for (const BenchRow& r : rows) {
    list.push_back({{"shape", r.shape},
                    {"tokens", r.tokens},
                    {"runs", r.runs},
                    {"min_ms", r.min_ms},
                    {"median_ms", r.median_ms},
                    {"p10_ms", r.low_ms},
                    {"p90_ms", r.high_ms},
                    {"tokens_per_second", r.tokens_per_second},
                    {"gflops_per_second", r.gflops},
                    {"floor_ms", r.floor_ms},
                    {"compute_floor_ms", r.compute_floor_ms},
                    {"weight_floor_ms", r.weight_floor_ms}});
  }
  return {{"ceilings",
           {{"flops_per_second", ceilings.flops},
            {"library_f32_flops_per_second", ceilings.library_flops},
            {"bytes_per_second", ceilings.bytes}}},
          {"rows", std::move(list)}};
}

}  // namespace rex::cli
