// rex_gpu_check MODEL_DIR [STEPS]: does the CUDA engine compute the model, and how fast? The links
// of made-up passes on the given model against the double-precision reference, for FP32, FP16 and
// BF16; then, at the official size with random weights, times, memory, what the pool is worth, and
// STEPS (default 2,000) steps of random lengths during which memory must stay as it is; with 0 only
// the comparison is made. Needs nothing but the GPU.
// rex_gpu_check --profile PASSESxTOKENS: one step at the official size under
//   ncu --profile-from-start off --clock-control none --metrics gpu__time_duration.sum …
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
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

struct Case {
  const char* name;
  std::vector<int32_t> lengths;
  bool one_token = false;  // every token the same
  bool unseen = false;     // a third of the tokens is hidden as keys
};

// Made-up passes and the double-precision links of all their cells.
class ParityCase {
 public:
  ParityCase(const std::shared_ptr<const model::Weights>& weights, const Case& c)
      : name_(c.name), batch_(c.lengths, weights->config.vocab_rows, 7) {
    const PackedBatch& made = batch_.view();
    ids_.assign(made.token_ids.begin(), made.token_ids.end());
    if (c.one_token) std::fill(ids_.begin(), ids_.end(), ids_[30]);
    words_.assign(made.token_words.begin(), made.token_words.end());
    for (size_t t = 0; c.unseen && t < words_.size(); ++t) {
      const bool text = TokenWord::group(words_[t]) == 0 && TokenWord::position(words_[t]) > 0;
      if (text && t % 3 == 0) words_[t] |= TokenWord::kUnseen;
    }
    passes_.assign(made.passes.begin(), made.passes.end());
    for (PassInfo& pass : passes_) pass.logit_floor = -INFINITY;
    good_ = static_cast<bool>(make_reference_engine(weights, {})->run(batch(), want_));
  }
  [[nodiscard]] PackedBatch batch() const {
    return {ids_, words_, passes_, batch_.view().type_tokens};
  }

  bool check(Engine& engine, const PrecisionRow& row) {
    LinkLists got;
    if (const auto ran = engine.run(batch(), got); !ran || !good_) {
      std::printf("%s: %s\n", name_, ran ? "no reference" : ran.error().to_string().c_str());
      return false;
    }
    const Difference difference = compare(got, want_);
    const bool within = difference.max <= row.max_error && difference.mean <= row.mean_error;
    std::printf("%-4s %-18s max %.2e (at most %.0e)  mean %.2e (at most %.0e)  %s\n", row.name,
                name_, difference.max, row.max_error, difference.mean, row.mean_error,
                within ? "ok" : "NOT OK");
    return within;
  }

 private:
  const char* name_;
  SyntheticBatch batch_;
  std::vector<int32_t> ids_;
  std::vector<uint32_t> words_;
  std::vector<PassInfo> passes_;
  LinkLists want_;
  bool good_ = false;
};

bool check_parity(const std::shared_ptr<const model::Weights>& weights) {
  ParityCase cases[] = {
      {weights, {"mixed lengths", {20, 63, 64, 65, 128, 130, 191, 200, 333, 512}}},
      {weights, {"one token repeated", {512}, true}},
      {weights, {"hidden keys", {40, 200, 333}, false, true}},
      {weights, {"shortest", {20}}}};
  bool good = true;
  for (const PrecisionRow& row : kPrecisions) {
    CudaOptions options;
    options.limits = {.tokens = 2048, .passes = 64};
    options.precision = row.precision;
    options.tune = false;
    auto engine = make_cuda_engine(weights, options);
    if (!engine) {
      std::printf("%s\n", engine.error().to_string().c_str());
      return false;
    }
    for (ParityCase& c : cases) good = c.check(**engine, row) && good;
    if (const int64_t faults = (*engine)->counters().non_finite; faults > 0) {
      std::printf("%s: %lld logits are no numbers\n", row.name, static_cast<long long>(faults));
      good = false;
    }
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

double mebibytes_in_use() {
  size_t free_bytes = 0, total_bytes = 0;
  cudaMemGetInfo(&free_bytes, &total_bytes);
  return static_cast<double>(total_bytes - free_bytes) / (1 << 20);
}

// Random lengths and counts of passes, as a service meets them: nothing may grow.
bool check_flat(Engine& engine, int steps) {
  std::mt19937 random(5);
  LinkLists links;
  const auto step = [&] {
    std::vector<int32_t> lengths;
    for (int32_t tokens = 0, wanted = static_cast<int32_t>(random() % 8000);;) {
      const auto length = static_cast<int32_t>(20 + random() % 493);
      if (tokens + length > 8192) break;
      lengths.push_back(length);
      if ((tokens += length) > wanted) break;
    }
    const SyntheticBatch batch(lengths, model::base_config().vocab_rows, 1);
    return static_cast<bool>(engine.run(batch.view(), links));
  };
  for (int i = 0; i < 100; ++i) step();
  const double before = mebibytes_in_use();
  const EngineCounters then = engine.counters();
  bool good = true;
  for (int i = 0; i < steps; ++i) good = step() && good;
  const double after = mebibytes_in_use();
  const EngineCounters now = engine.counters();
  std::printf(
      "%d steps of random lengths: device memory %.1f MiB before, %.1f MiB after, %lld "
      "allocations, %lld logits that are no numbers\n",
      steps, before, after,
      static_cast<long long>(now.device_allocations - then.device_allocations),
      static_cast<long long>(now.non_finite));
  return good && after <= before && now.device_allocations == then.device_allocations &&
         now.non_finite == 0;
}

std::vector<int32_t> many(size_t passes, int32_t tokens) {
  return std::vector<int32_t>(passes, tokens);
}

bool time_base_model(int steps) {
  const auto weights = model::random_weights(model::base_config(), 1);
  const double context = mebibytes_in_use();
  auto engine = make_cuda_engine(weights, {});
  if (!engine) {
    std::printf("%s\n", engine.error().to_string().c_str());
    return false;
  }
  std::printf("%s\n", to_text((*engine)->plan()).c_str());
  time_shape(**engine, "1x64", many(1, 64));
  time_shape(**engine, "1x128", many(1, 128));
  time_shape(**engine, "1x512", many(1, 512));
  time_shape(**engine, "16x128", many(16, 128));
  time_shape(**engine, "16x512", many(16, 512));
  time_shape(**engine, "64x128", many(64, 128));
  time_shape(**engine, "mixed",
             {394, 184, 281, 163, 472, 488, 288, 309, 179, 234, 395, 201, 170, 437, 151, 454});
  std::printf("device memory: context %.0f MiB, with the engine %.0f MiB\n", context,
              mebibytes_in_use());
  const bool flat = check_flat(**engine, steps);
  engine->reset();
  CudaOptions options;
  options.tune = false;
  options.memory_pool = false;
  if (auto without = make_cuda_engine(weights, options); without) {
    std::printf("memory_pool: false, device memory between steps %.0f MiB\n", mebibytes_in_use());
    time_shape(**without, "1x64", many(1, 64));
    time_shape(**without, "16x128", many(16, 128));
    time_shape(**without, "16x512", many(16, 512));
  }
  return flat;
}

// One step between the marks that `ncu --profile-from-start off` waits for.
bool profile(size_t passes, int32_t tokens) {
  auto engine = make_cuda_engine(model::random_weights(model::base_config(), 1), {});
  if (!engine) {
    std::printf("%s\n", engine.error().to_string().c_str());
    return false;
  }
  const SyntheticBatch batch(many(passes, tokens), model::base_config().vocab_rows, 1);
  LinkLists links;
  bool good = true;
  for (int run = 0; run < 5; ++run) good = (*engine)->run(batch.view(), links) && good;
  cudaProfilerStart();
  good = (*engine)->run(batch.view(), links) && good;
  cudaProfilerStop();
  return good;
}

}  // namespace
}  // namespace rex::engine

int main(int argc, char** argv) {
  using namespace rex;
  int passes = 0, tokens = 0;
  if (argc == 3 && std::strcmp(argv[1], "--profile") == 0 &&
      std::sscanf(argv[2], "%dx%d", &passes, &tokens) == 2 && passes > 0 && tokens >= 20 &&
      tokens <= 512) {
    return engine::profile(static_cast<size_t>(passes), tokens) ? 0 : 1;
  }
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr,
                 "usage: rex_gpu_check MODEL_DIR [STEPS]\n"
                 "       rex_gpu_check --profile PASSESxTOKENS (20 to 512)\n");
    return 64;
  }
  const auto weights = model::load_weights(argv[1]);
  if (!weights) {
    std::fprintf(stderr, "error: %s\n", weights.error().to_string().c_str());
    return 65;
  }
  const bool good = engine::check_parity(*weights);
  const int steps = argc == 3 ? std::atoi(argv[2]) : 2000;
  const bool steady = steps == 0 || engine::time_base_model(steps);
  std::printf("%s\n", good && steady ? "all good" : "NOT GOOD");
  return good && steady ? 0 : 1;
}
