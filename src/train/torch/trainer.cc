#include "train/torch/trainer.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <future>
#include <iostream>

#include "core/mapped_file.h"
#include "eval/metrics.h"
#include "eval/sample.h"
#include "model/files/safetensors.h"
#include "pipeline/analyze.h"
#include "train/torch/loss.h"
#include "train/torch/torch_engine.h"

#ifdef REX_TORCH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#endif

namespace rex::train {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Where a run is: everything that a continued run needs besides weights and moments.
struct Place {
  int64_t step = 0;
  uint64_t pool = 0;   // the pool that comes next or is being worked through
  uint64_t batch = 0;  // batches of it that are done
  double seconds = 0;  // of all runs together
  double best_f1 = -1.0;
  int64_t stale = 0;  // evaluations since the best
  int64_t optimizer_steps = 0;
};

Result<void> write_state(const fs::path& dir, const Place& place, const Net& net,
                         const AdamW& optimizer) {
  std::vector<torch::Tensor> kept;
  std::vector<model::TensorToWrite> tensors;
  for (const auto& [name, tensor] :
       {std::pair{"master", net.master}, std::pair{"mean", optimizer.mean},
        std::pair{"square", optimizer.square}}) {
    kept.push_back(tensor.detach().to(torch::kCPU, torch::kFloat).contiguous());
    const auto* bytes = reinterpret_cast<const std::byte*>(kept.back().data_ptr<float>());
    tensors.push_back({name,
                       {model::DType::kF32,
                        {kept.back().numel()},
                        {bytes, static_cast<size_t>(kept.back().numel()) * 4}},
                       model::DType::kF32});
  }
  // The step's number is part of the file's name: state.json, written last, names the pair that
  // belongs together, whenever the process is killed.
  const std::string file = "state-" + std::to_string(place.step) + ".safetensors";
  REX_TRY_VOID(model::write_safetensors(dir / file, tensors));
  const Json json = {{"weights", file},          {"step", place.step},
                     {"pool", place.pool},       {"batch", place.batch},
                     {"seconds", place.seconds}, {"best_f1", place.best_f1},
                     {"stale", place.stale},     {"optimizer_steps", place.optimizer_steps}};
  std::ofstream(dir / "state.json.partial") << json.dump(1) << '\n';
  std::error_code error;
  fs::rename(dir / "state.json.partial", dir / "state.json", error);
  if (error)
    return fail(ErrorCode::kFileUnwritable, error.message(), (dir / "state.json").string());
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("state-") && name != file) fs::remove(entry.path(), error);
  }
  return {};
}

Result<Place> read_state(const fs::path& dir, Net& net, AdamW& optimizer) {
  REX_TRY(text, read_text_file(dir / "state.json", 1 << 20));
  REX_TRY(json, parse_json(text));
  Place place;
  const fs::path path = dir / json.value("weights", std::string());
  place.step = json.value("step", int64_t{0});
  place.pool = json.value("pool", uint64_t{0});
  place.batch = json.value("batch", uint64_t{0});
  place.seconds = json.value("seconds", 0.0);
  place.best_f1 = json.value("best_f1", -1.0);
  place.stale = json.value("stale", int64_t{0});
  place.optimizer_steps = json.value("optimizer_steps", int64_t{0});
  REX_TRY(file, MappedFile::open(path));
  REX_TRY(list, model::parse_safetensors(file.bytes()));
  torch::NoGradGuard guard;
  for (const model::NamedTensor& item : list.tensors) {
    torch::Tensor* target = item.name == "master" ? &net.master
                            : item.name == "mean" ? &optimizer.mean
                                                  : &optimizer.square;
    if (item.tensor.count() != target->numel()) {
      return fail(ErrorCode::kCheckpointMismatch,
                  "the state belongs to another model; use another --out folder or --resume false",
                  path.string());
    }
    std::vector<float> values = model::as_floats(item.tensor);
    target->copy_(torch::from_blob(values.data(), {target->numel()}, torch::kFloat));
  }
  optimizer.steps = place.optimizer_steps;
  net.refresh();
  return place;
}

model::DType dtype_of(const std::string& name) {
  return name == "f16"    ? model::DType::kF16
         : name == "bf16" ? model::DType::kBF16
                          : model::DType::kF32;
}

// A pool with its batches.
struct Pool {
  std::vector<Row> rows;
  std::vector<std::vector<uint32_t>> batches;
};

Pool make_pool(RowSource& source, const Options& options, uint64_t index) {
  Pool pool;
  pool.rows = source.pool(index);
  Rng rng(static_cast<uint64_t>(options.seed), index + 1, 0x62617463);
  const size_t tokens =
      options.batch_tokens > 0 ? static_cast<size_t>(options.batch_tokens) : SIZE_MAX;
  pool.batches = cut_batches(pool.rows, tokens, static_cast<size_t>(options.batch_size),
                             options.by_length, rng);
  return pool;
}

class Run {
 public:
  Run(const Options& options, Goal goal, Net& net, RowSource& source,
      std::shared_ptr<const text::Tokenizer> tokenizer, const std::vector<DevFile>& dev,
      const std::atomic<bool>& stop)
      : options_(options),
        goal_(goal),
        net_(net),
        source_(source),
        tokenizer_(std::move(tokenizer)),
        dev_(dev),
        stop_(stop),
        out_(options.out),
        optimizer_(net, {.weight_decay = options.weight_decay, .clip = options.max_grad_norm}) {}

  Result<RunResult> go() {
    std::error_code error;
    fs::create_directories(out_, error);
    if (error) return fail(ErrorCode::kFileUnwritable, error.message(), out_.string());
    if (options_.resume && fs::exists(out_ / "state.json", error)) {
      REX_TRY(place, read_state(out_, net_, optimizer_));
      place_ = place;
      REX_TRY(curve, read_curve(out_));
      curve_ = std::move(curve);
      std::erase_if(curve_, [this](const CurvePoint& p) { return p.step > place_.step; });
      std::cerr << "going on after step " << place_.step << '\n';
    }
    earlier_ = place_.seconds;
    begin_ = last_report_ = Clock::now();
    auto next = std::async(std::launch::deferred,
                           [&] { return make_pool(source_, options_, place_.pool); });
    while (true) {
      const Pool pool = next.get();
      if (pool.batches.empty())
        return fail(ErrorCode::kSampleInvalid, "there are no training rows");
      const auto parts = static_cast<uint64_t>(options_.accumulation);
      steps_of_pool_ = static_cast<int64_t>((pool.batches.size() + parts - 1) / parts);
      if (ended()) break;
      next = std::async(std::launch::async, [this, index = place_.pool + 1] {
        return make_pool(source_, options_, index);
      });
      REX_TRY(through, work_through(pool));
      if (!through) {
        next.wait();
        break;
      }
      ++place_.pool;
      place_.batch = 0;
      if (options_.eval_steps == 0 && goal_ == Goal::kLabels) REX_TRY_VOID(evaluate());
      if (ended()) {
        next.wait();
        break;
      }
    }
    return finish();
  }

 private:
  [[nodiscard]] double elapsed() const { return earlier_ + seconds_since(begin_); }
  [[nodiscard]] int64_t total_steps() const {
    if (options_.steps > 0) return options_.steps;
    return std::max<int64_t>(1,
                             std::llround(options_.epochs * static_cast<double>(steps_of_pool_)));
  }
  [[nodiscard]] double progress() const {
    if (options_.for_minutes > 0) return elapsed() / (60.0 * options_.for_minutes);
    return static_cast<double>(place_.step) / static_cast<double>(total_steps());
  }
  [[nodiscard]] bool ended() const {
    if (options_.early_stop > 0 && static_cast<double>(place_.stale) >= options_.early_stop)
      return true;
    return progress() >= 1.0;
  }
  [[nodiscard]] bool interrupted() const {
    return stop_ || (options_.minutes > 0 && seconds_since(begin_) >= 60.0 * options_.minutes);
  }

  // False: interrupted or ended inside the pool.
  Result<bool> work_through(const Pool& pool) {
    const auto parts = static_cast<uint64_t>(options_.accumulation);
    while (place_.batch < pool.batches.size()) {
      if (interrupted() || ended()) return false;
      const uint64_t many = std::min<uint64_t>(parts, pool.batches.size() - place_.batch);
      // Every step has random numbers of its own, so a continued run draws the same.
      torch::manual_seed(static_cast<uint64_t>(options_.seed) * 1000003U +
                         static_cast<uint64_t>(place_.step));
      for (uint64_t i = 0; i < many; ++i) {
        std::vector<const Row*> rows;
        for (const uint32_t at : pool.batches[place_.batch + i]) rows.push_back(&pool.rows[at]);
        part(rows, static_cast<int64_t>(many));
      }
      place_.batch += many;
      rate_ = rate_at(options_, options_.for_minutes > 0 ? progress()
                                                         : static_cast<double>(place_.step) /
                                                               static_cast<double>(total_steps()));
      optimizer_.step(rate_);
      ++place_.step;
      place_.optimizer_steps = optimizer_.steps;
      REX_TRY_VOID(after_step());
    }
    return true;
  }

  void part(const std::vector<const Row*>& rows, int64_t parts) {
    const BatchTensors batch = net_.put(rows);
    const torch::Tensor hidden = net_.encode(batch, true, layers_for(batch));
    const torch::Tensor loss =
        goal_ == Goal::kLabels
            ? circle_loss(net_.scores(hidden, batch), batch, options_.loss_cells == "all")
            : net_.language_loss(hidden, batch);
    loss.backward();
    optimizer_.gather(parts);
    losses_.push_back(loss.detach());
    tokens_ += batch.real_tokens;
  }

  uint64_t layers_for(const BatchTensors& batch) {
    const auto policy = *parse_recompute(options_.dynamic_checkpoint);
    if (policy == RecomputePolicy::kOff) return 0;
    if (budget_ == 0) {
      budget_ = options_.memory_budget_mb > 0 ? options_.memory_budget_mb << 20
                                              : free_memory(net_.options().device) * 9 / 10;
      if (budget_ == 0) budget_ = INT64_MAX;  // the CPU's memory is not asked for
    }
    const bool narrow = net_.options().compute == torch::kBFloat16;
    const StepMemory memory = step_memory(
        net_.config(), {narrow ? 2 : 4, narrow && batch.ids.is_cuda(), options_.dropout > 0},
        {batch.ids.size(0), batch.ids.size(1), batch.slot_end - batch.slot_begin});
    return layers_to_recompute(policy, options_.task, net_.config(), memory, budget_);
  }

  Result<void> after_step() {
    const bool due = options_.eval_steps > 0 && place_.step % options_.eval_steps == 0;
    if (seconds_since(last_report_) >= 5.0 || due || losses_.size() >= 2000) report();
    if (due)
      REX_TRY_VOID(evaluate());
    else if (options_.save_steps > 0 && place_.step % options_.save_steps == 0)
      REX_TRY_VOID(save());
    return {};
  }

  // A point of the curve and the line that shows how far the run is.
  void report() {
    if (losses_.empty()) return;
    const double loss = torch::stack(losses_).to(torch::kDouble).mean().item<double>();
    const double rate = static_cast<double>(tokens_) / std::max(seconds_since(last_report_), 1e-9);
    curve_.push_back({place_.step, loss, rate_, rate, -1.0});
    losses_.clear();
    tokens_ = 0;
    last_report_ = Clock::now();
    constexpr int kWidth = 24;
    const int filled = static_cast<int>(kWidth * std::min(1.0, progress()));
    std::fprintf(stderr, "[%.*s%*s] %3.0f %%  step %lld  loss %.4f  lr %.2e  %.0f tokens/s\n",
                 filled, "########################", kWidth - filled, "",
                 100 * std::min(1.0, progress()), static_cast<long long>(place_.step), loss, rate_,
                 rate);
  }

  Result<void> evaluate() {
    report();
    if (!dev_.empty()) {
      const auto start = Clock::now();
      const std::string metric = options_.metrics.substr(0, options_.metrics.find(','));
      REX_TRY(scores, score(net_, tokenizer_, dev_, options_.dev_limit, metric));
      double f1 = 0.0;
      for (const DevScore& one : scores) f1 += one.f1 / static_cast<double>(scores.size());
      if (curve_.empty()) curve_.push_back({place_.step, NAN, rate_, 0.0, -1.0});
      curve_.back().f1 = f1;
      std::fprintf(stderr, "dev %s F1 %.4f (%.1f s)\n", metric.c_str(), f1, seconds_since(start));
      if (f1 > place_.best_f1) {
        place_.best_f1 = f1;
        place_.stale = 0;
        REX_TRY_VOID(net_.save(out_ / "best", options_.model, dtype_of(options_.save_as)));
      } else {
        ++place_.stale;
      }
      last_report_ = Clock::now();
    }
    return save();
  }

  Result<void> save() {
    place_.seconds = elapsed();
    REX_TRY_VOID(write_curve(out_, curve_));
    REX_TRY_VOID(draw_curve(out_, curve_));
    return write_state(out_, place_, net_, optimizer_);
  }

  Result<RunResult> finish() {
    const bool finished = ended();
    report();
    if (finished && !dev_.empty() && (curve_.empty() || curve_.back().f1 < 0))
      REX_TRY_VOID(evaluate());
    REX_TRY_VOID(save());
    if (finished) {
      std::error_code error;
      const bool has_best = !dev_.empty() && fs::exists(out_ / "best" / "model.safetensors", error);
      if (has_best) {  // F25
        fs::remove_all(out_ / "model", error);
        fs::copy(out_ / "best", out_ / "model", error);
        if (error)
          return fail(ErrorCode::kFileUnwritable, error.message(), (out_ / "model").string());
      } else {
        REX_TRY_VOID(net_.save(out_ / "model", options_.model, dtype_of(options_.save_as)));
      }
    }
    return RunResult{place_.step, place_.best_f1, finished};
  }

  const Options& options_;
  Goal goal_;
  Net& net_;
  RowSource& source_;
  std::shared_ptr<const text::Tokenizer> tokenizer_;
  const std::vector<DevFile>& dev_;
  const std::atomic<bool>& stop_;
  fs::path out_;
  AdamW optimizer_;
  Place place_;
  std::vector<CurvePoint> curve_;
  std::vector<torch::Tensor> losses_;
  int64_t tokens_ = 0, steps_of_pool_ = 1, budget_ = 0;
  double rate_ = 0.0, earlier_ = 0.0;
  Clock::time_point begin_, last_report_;
};

}  // namespace

double rate_at(const Options& options, double progress) {
  const double warm = options.warmup_ratio;
  if (progress < warm) return options.learning_rate * progress / warm;
  if (options.schedule == "constant") return options.learning_rate;
  return options.learning_rate * std::max(0.0, (1.0 - progress) / std::max(1.0 - warm, 1e-9));
}

Result<DevFile> read_dev(const std::string& path) {
  REX_TRY(text, read_text_file(path, size_t{1} << 30));
  DevFile file{path, {}};
  size_t number = 1;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto json = parse_json(line);
    if (!json)
      return fail(std::move(json).error().in(path + " line " + std::to_string(number) + " "));
    auto sample = eval::read_sample(*json, {});
    if (!sample)
      return fail(std::move(sample).error().in(path + " line " + std::to_string(number) + " "));
    file.lines.push_back(*std::move(json));
  }
  return file;
}

Result<std::vector<DevScore>> score(Net& net, std::shared_ptr<const text::Tokenizer> tokenizer,
                                    const std::vector<DevFile>& files, int64_t limit,
                                    const std::string& metric) {
  REX_TRY(metrics, eval::parse_metrics(metric));
  const bool gpu = net.options().device.is_cuda();
  pipeline::Pipeline pipeline(std::move(tokenizer),
                              make_torch_engine(net, {gpu ? 32768 : 2048, 2048}));
  std::vector<DevScore> scores;
  for (const DevFile& file : files) {
    DevScore one{fs::path(file.path).filename().string(), 0.0, 0};
    eval::Counts counts;
    const size_t most =
        limit > 0 ? std::min(file.lines.size(), static_cast<size_t>(limit)) : file.lines.size();
    for (size_t begin = 0; begin < most; begin += 512) {
      std::vector<eval::Sample> samples;
      std::vector<pipeline::Query> queries;
      for (size_t i = begin; i < std::min(most, begin + 512); ++i) {
        REX_TRY(sample, eval::read_sample(file.lines[i], {}));
        queries.push_back(sample.query);
        samples.push_back(std::move(sample));
      }
      const auto answers = pipeline.analyze(queries);
      for (size_t i = 0; i < samples.size(); ++i) {
        ++one.samples;
        std::vector<eval::ItemList> predicted;  // a text that is too much work counts as unanswered
        if (answers[i])
          predicted = eval::lists_of(*answers[i], samples[i].query.kind);
        else if (answers[i].error().code != ErrorCode::kWorkTooLarge)
          return fail(Error(answers[i].error()));
        REX_TRY(more, eval::count(metrics[0], predicted, samples[i].gold));
        counts.add(more);
      }
    }
    one.f1 = eval::scores_of(counts).f1;
    scores.push_back(std::move(one));
  }
  return scores;
}

Result<RunResult> run(const Options& options, Goal goal, Net& net, RowSource& source,
                      std::shared_ptr<const text::Tokenizer> tokenizer,
                      const std::vector<DevFile>& dev, const std::atomic<bool>& stop) {
  return Run(options, goal, net, source, std::move(tokenizer), dev, stop).go();
}

int64_t free_memory(const torch::Device& device) {
#ifdef REX_TORCH_CUDA
  // Of the runtime that LibTorch has loaded: it lies in a folder of its own and is not linked to.
  using Query = decltype(&cudaMemGetInfo);
  const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "cudaMemGetInfo"));
  size_t free = 0, total = 0;
  if (device.is_cuda() && query && query(&free, &total) == cudaSuccess)
    return static_cast<int64_t>(free);
#endif
  (void)device;
  return 0;
}

int64_t peak_memory(const torch::Device& device, bool reset) {
#ifdef REX_TORCH_CUDA
  if (device.is_cuda()) {
    namespace allocator = c10::cuda::CUDACachingAllocator;
    const auto index = static_cast<c10::DeviceIndex>(device.has_index() ? device.index() : 0);
    const int64_t peak = allocator::getDeviceStats(index).allocated_bytes[0].peak;
    if (reset) allocator::resetPeakStats(index);
    return peak;
  }
#endif
  (void)device, (void)reset;
  return 0;
}

}  // namespace rex::train
