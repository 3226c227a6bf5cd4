// rex_gpu_check MODEL_DIR: does the CUDA engine compute the model, and how fast? First the links of
// made-up passes on the given model against the double-precision reference, for FP32, FP16 and
// BF16; then times at the official size with random weights. Needs nothing but the GPU.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "engine/cost.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/reference/reference_engine.h"
#include "engine/synthetic.h"

namespace rex::engine {
namespace {

struct PrecisionRow {
  const char* name;
  CudaPrecision precision;
  double max_error, mean_error;  // relative to the spread of the logits
};
// FP16 and FP32: what the project promises. BF16 has eight times coarser steps than FP16.
constexpr PrecisionRow kPrecisions[] = {{"f32", CudaPrecision::kF32, 1e-4, 1e-5},
                                        {"f16", CudaPrecision::kF16, 2e-2, 2e-3},
                                        {"bf16", CudaPrecision::kBF16, 16e-2, 16e-3}};

struct Difference {
  double max = 0.0, mean = 0.0;
};

// Largest and mean difference of all cells, relative to their root mean square; infinite when a
// cell is missing or not a number.
Difference compare(const LinkLists& got, const LinkLists& want) {
  double max = 0.0, sum = 0.0, squares = 0.0;
  size_t count = 0;
  bool whole = got.size() == want.size();
  for (size_t p = 0; whole && p < want.size(); ++p) {
    const PassLinks a = got.pass(p), b = want.pass(p);
    for (const auto& [x, y] :
         {std::pair{a.spans, b.spans}, {a.heads, b.heads}, {a.tails, b.tails}}) {
      whole = whole && x.size() == y.size();
      for (size_t i = 0; whole && i < x.size(); ++i) {
        whole = x[i].row == y[i].row && x[i].col == y[i].col && std::isfinite(x[i].logit);
        const double error = std::abs(x[i].logit - y[i].logit);
        max = std::max(max, error);
        sum += error;
        squares += static_cast<double>(y[i].logit) * y[i].logit;
        ++count;
      }
    }
  }
  if (!whole || count == 0) return {INFINITY, INFINITY};
  const double spread = std::sqrt(squares / static_cast<double>(count));
  return {max / spread, sum / static_cast<double>(count) / spread};
}

bool check_parity(const std::shared_ptr<const model::Weights>& weights) {
  const std::vector<int32_t> lengths = {20, 63, 64, 65, 128, 130, 191, 200, 333, 512};
  const SyntheticBatch batch(lengths, weights->config.vocab_rows, 7);
  std::vector<PassInfo> passes(batch.view().passes.begin(), batch.view().passes.end());
  for (PassInfo& pass : passes) pass.logit_floor = -INFINITY;
  const PackedBatch packed{batch.view().token_ids, batch.view().token_words, passes,
                           batch.view().type_tokens};
  LinkLists want, got;
  if (!make_reference_engine(weights, {})->run(packed, want)) return false;
  bool good = true;
  for (const PrecisionRow& row : kPrecisions) {
    auto engine = make_cuda_engine(
        weights,
        {.precision = row.precision, .limits = {.tokens = 2048, .passes = 64}, .tune = false});
    if (!engine) {
      std::printf("%s\n", engine.error().to_string().c_str());
      return false;
    }
    if (const auto ran = (*engine)->run(packed, got); !ran) {
      std::printf("%s\n", ran.error().to_string().c_str());
      return false;
    }
    const Difference difference = compare(got, want);
    const bool within = difference.max <= row.max_error && difference.mean <= row.mean_error;
    std::printf("%-4s  max %.2e (at most %.0e)  mean %.2e (at most %.0e)  %s\n", row.name,
                difference.max, row.max_error, difference.mean, row.mean_error,
                within ? "ok" : "NOT OK");
    good = good && within;
  }
  return good;
}

void time_shape(Engine& engine, const std::string& name, const std::vector<int32_t>& lengths) {
  const SyntheticBatch batch(lengths, model::base_config().vocab_rows, 1);
  LinkLists links;
  std::vector<double> times;
  for (int run = 0; run < 65; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    if (!engine.run(batch.view(), links)) return;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (run >= 5) times.push_back(took.count());
  }
  std::sort(times.begin(), times.end());
  double flops = 0.0;
  for (const int32_t length : lengths) flops += pass_flops(model::base_config(), length);
  const double median = times[times.size() / 2];
  std::printf("%-7s %6d tokens  median %7.3f ms  p90 %7.3f ms  %5.0f TFLOP/s  %.2f Mtokens/s\n",
              name.c_str(), batch.tokens(), median, times[times.size() * 9 / 10],
              flops / median / 1e9, batch.tokens() / median / 1e3);
}

bool time_base_model() {
  auto engine = make_cuda_engine(model::random_weights(model::base_config(), 1), {});
  if (!engine) {
    std::printf("%s\n", engine.error().to_string().c_str());
    return false;
  }
  std::printf("%s\n", to_text((*engine)->plan()).c_str());
  const auto many = [](size_t passes, int32_t tokens) {
    return std::vector<int32_t>(passes, tokens);
  };
  time_shape(**engine, "1x64", many(1, 64));
  time_shape(**engine, "1x128", many(1, 128));
  time_shape(**engine, "1x512", many(1, 512));
  time_shape(**engine, "16x128", many(16, 128));
  time_shape(**engine, "16x512", many(16, 512));
  time_shape(**engine, "64x128", many(64, 128));
  time_shape(**engine, "mixed",
             {394, 184, 281, 163, 472, 488, 288, 309, 179, 234, 395, 201, 170, 437, 151, 454});
  return true;
}

}  // namespace
}  // namespace rex::engine

int main(int argc, char** argv) {
  using namespace rex;
  if (argc != 2) {
    std::fprintf(stderr, "usage: rex_gpu_check MODEL_DIR\n");
    return 64;
  }
  const auto weights = model::load_weights(argv[1]);
  if (!weights) {
    std::fprintf(stderr, "error: %s\n", weights.error().to_string().c_str());
    return 65;
  }
  const bool good = engine::check_parity(*weights);
  return engine::time_base_model() && good ? 0 : 1;
}
