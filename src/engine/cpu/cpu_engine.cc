#include "engine/cpu/cpu_engine.h"

#include <sched.h>

#include <algorithm>

#include "core/check.h"
#include "engine/collect_links.h"
#include "engine/cpu/arena_plan.h"
#include "engine/cpu/cpu_weights.h"
#include "engine/cpu/scores.h"

namespace rex::engine {
namespace {

constexpr int32_t kNormRows = 16;  // rows of a task that works row by row

int32_t usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
}

std::string library_version() {
  const dnnl_version_t* v = dnnl_version();
  return "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." +
         std::to_string(v->patch);
}

class CpuEngine : public Engine {
 public:
  CpuEngine(std::shared_ptr<const model::Weights> weights, int32_t threads, BatchLimits limits)
      : team_(threads),
        contexts_(static_cast<size_t>(threads)),
        weights_(std::move(weights), team_, contexts_),
        plan_(plan_cpu_arena(weights_.config(), limits)),
        arena_(static_cast<size_t>(plan_.arena_bytes) / sizeof(float)) {
    const int64_t scratch = attention_scratch_floats(weights_.attention, kMaxPassTokens);
    for (int32_t i = 0; i < threads; ++i) scratch_.emplace_back(static_cast<size_t>(scratch));
    plan_.weight_bytes = weights_.bytes();
    plan_.workspace_bytes =
        threads * (scratch * static_cast<int64_t>(sizeof(float)) + weights_.context_bytes());
    info_ = {"cpu", "f32", library_version(), threads, limits};
    score_tasks_.reserve(static_cast<size_t>(limits.tokens));
  }

  [[nodiscard]] const EngineInfo& info() const override { return info_; }
  [[nodiscard]] const MemoryPlan& plan() const override { return plan_; }

  Result<void> run(const PackedBatch& batch, LinkLists& out) override;

 private:
  struct ScoreTask {
    ScoreJob job;
    int32_t block = 0;        // of text rows, or
    int32_t prompt_row = -1;  // a type token
  };

  float* buffer(CpuBuffer which) {
    return arena_.data() + plan_.buffers[which].offset / static_cast<int64_t>(sizeof(float));
  }
  [[nodiscard]] size_t hidden() const { return static_cast<size_t>(weights_.config().hidden); }
  std::span<float> row(float* matrix, size_t token, size_t width) {
    return {matrix + token * width, width};
  }

  void product(Worker& worker, const Linear& linear, const float* x, float* y) {
    worker.for_each(linear.task_count(rows_), [&](int32_t task) {
      linear.run_task(task, rows_, x, y, contexts_[static_cast<size_t>(worker.index())]);
    });
  }
  template <class RowTask>
  void each_row(Worker& worker, const RowTask& task) {
    worker.for_each((rows_ + kNormRows - 1) / kNormRows, [&](int32_t block) {
      const int32_t end = std::min(rows_, (block + 1) * kNormRows);
      for (int32_t t = block * kNormRows; t < end; ++t) task(static_cast<size_t>(t));
    });
  }

  void list_score_tasks(const PackedBatch& batch);
  void forward(Worker& worker, const PackedBatch& batch);
  void embed(Worker& worker, const PackedBatch& batch);
  void convolve(Worker& worker, const PackedBatch& batch);
  void run_layer(Worker& worker, const PackedBatch& batch, size_t index);
  void attention(Worker& worker, const PackedBatch& batch, const CpuLayer& layer, const float* qkv,
                 float* context);
  void rotate_heads(Worker& worker, const PackedBatch& batch);

  ThreadTeam team_;
  std::vector<LinearContext> contexts_;
  CpuWeights weights_;
  MemoryPlan plan_;
  AlignedFloats arena_;
  std::vector<AlignedFloats> scratch_;  // one a thread
  EngineInfo info_;
  int32_t rows_ = 0;  // tokens of the running batch
  std::vector<ScoreTask> score_tasks_;
};

Result<void> CpuEngine::run(const PackedBatch& batch, LinkLists& out) {
  REX_TRY_VOID(check_batch(batch, info_.limits));
  for (const int32_t id : batch.token_ids) {
    REX_CHECK(id >= 0 && id < weights_.config().vocab_rows,
              "token ids come from the model's tokenizer");
  }
  for (const uint32_t word : batch.token_words) {
    REX_CHECK(TokenWord::position(word) < kMaxPassTokens,
              "positions of a pass are below its length");
  }
  out.clear();
  rows_ = static_cast<int32_t>(batch.token_ids.size());
  list_score_tasks(batch);
  team_.run([&](Worker& worker) { forward(worker, batch); });
  const float* scores = buffer(kScores);
  for (const PassInfo& pass : batch.passes) {
    const float* z = scores + static_cast<ptrdiff_t>(pass.token_begin) * kLdScores;
    collect_links(batch, pass, [z](int32_t r, int32_t c) { return z[r * kLdScores + c]; }, out);
  }
  return {};
}

// The cells that decoding reads, cut into blocks; longest passes first would balance better only
// for many threads, so the batch's order is kept.
void CpuEngine::list_score_tasks(const PackedBatch& batch) {
  score_tasks_.clear();
  for (const PassInfo& pass : batch.passes) {
    const auto first = static_cast<ptrdiff_t>(pass.token_begin);
    const ScoreJob job{pass.token_count,
                       pass.text_begin,
                       weights_.config().hidden,
                       buffer(kHeads) + first * 2 * weights_.config().hidden,
                       2 * weights_.config().hidden,
                       buffer(kKeyColumns) + first * weights_.config().hidden,
                       buffer(kScores) + first * kLdScores};
    for (int32_t block = 0; block < score_task_count(job); ++block) {
      score_tasks_.push_back({job, block, -1});
    }
    for (int32_t k = 0; k < pass.type_count; ++k) {
      score_tasks_.push_back({job, 0, batch.type_tokens[static_cast<size_t>(pass.type_begin + k)]});
    }
  }
}

void CpuEngine::forward(Worker& worker, const PackedBatch& batch) {
  embed(worker, batch);
  if (weights_.conv) convolve(worker, batch);
  for (size_t layer = 0; layer < weights_.layers.size(); ++layer) run_layer(worker, batch, layer);
  product(worker, *weights_.head, buffer(kHidden), buffer(kHeads));
  rotate_heads(worker, batch);
  worker.for_each(static_cast<int32_t>(score_tasks_.size()), [&](int32_t i) {
    const ScoreTask& task = score_tasks_[static_cast<size_t>(i)];
    if (task.prompt_row < 0) {
      score_text_rows(task.job, task.block);
    } else {
      score_prompt_row(task.job, task.prompt_row);
    }
  });
}

void CpuEngine::embed(Worker& worker, const PackedBatch& batch) {
  each_row(worker, [&](size_t t) {
    weights_.embed(batch.token_ids[t], row(buffer(kHidden), t, hidden()));
  });
}

// M14: the input is the embedding output. M18: zeros beyond both ends of each pass.
void CpuEngine::convolve(Worker& worker, const PackedBatch& batch) {
  const size_t width = hidden();
  const float* embedded = buffer(kHidden);
  float* neighbours = buffer(kNeighbours);
  worker.for_each(static_cast<int32_t>(batch.passes.size()), [&](int32_t p) {
    const PassInfo& pass = batch.passes[static_cast<size_t>(p)];
    const auto begin = static_cast<size_t>(pass.token_begin);
    const auto end = begin + static_cast<size_t>(pass.token_count);
    for (size_t t = begin; t < end; ++t) {
      float* target = neighbours + t * 3 * width;
      for (size_t tap = 0; tap < 3; ++tap) {
        const bool inside = t + tap >= begin + 1 && t + tap < end + 1;
        if (inside) {
          std::copy_n(embedded + (t + tap - 1) * width, width, target + tap * width);
        } else {
          std::fill_n(target + tap * width, width, 0.0F);
        }
      }
    }
  });
  product(worker, *weights_.conv, neighbours, buffer(kConv));
}

void CpuEngine::run_layer(Worker& worker, const PackedBatch& batch, size_t index) {
  const CpuLayer& layer = *weights_.layers[index];
  float* x = buffer(kHidden);
  float* qkv = buffer(index == 0 ? kQkv0 : kQkv);
  float* context = buffer(index == 0 ? kContext0 : kContext);
  float* ffn = buffer(index == 0 ? kFfn0 : kFfn);
  product(worker, layer.qkv, x, qkv);
  attention(worker, batch, layer, qkv, context);
  product(worker, layer.attention_out, context, x);
  each_row(worker, [&](size_t t) { layer_norm(layer.attention_norm.view(), row(x, t, hidden())); });
  product(worker, layer.ffn_in, x, ffn);
  product(worker, layer.ffn_out, ffn, x);
  const bool with_conv = index == 0 && weights_.conv;
  each_row(worker, [&](size_t t) {
    layer_norm(layer.output_norm.view(), row(x, t, hidden()));
    if (with_conv) {  // M16
      add_layer_norm(weights_.conv_norm.view(), row(x, t, hidden()),
                     row(buffer(kConv), t, hidden()));
    }
  });
}

void CpuEngine::attention(Worker& worker, const PackedBatch& batch, const CpuLayer& layer,
                          const float* qkv, float* context) {
  const model::ModelConfig& config = weights_.config();
  const auto heads = config.heads;
  const auto panel = static_cast<ptrdiff_t>(config.head_width()) * weights_.attention.ld_slots();
  worker.for_each(static_cast<int32_t>(batch.passes.size()) * heads, [&](int32_t task) {
    const PassInfo& pass = batch.passes[static_cast<size_t>(task / heads)];
    const int32_t head = task % heads;
    const auto first = static_cast<ptrdiff_t>(pass.token_begin);
    const auto column = static_cast<ptrdiff_t>(head) * config.head_width();
    const float* query = qkv + first * weights_.attention.ld_qkv + column;
    attend(weights_.attention,
           {pass.token_count,
            batch.token_words.subspan(static_cast<size_t>(pass.token_begin),
                                      static_cast<size_t>(pass.token_count)),
            query, query + config.hidden, query + 2 * static_cast<ptrdiff_t>(config.hidden),
            layer.position_key.data() + head * panel, layer.position_query.data() + head * panel,
            context + first * config.hidden + column},
           scratch_[static_cast<size_t>(worker.index())].data());
  });
}

// M22; the keys go to their transposed place on the way.
void CpuEngine::rotate_heads(Worker& worker, const PackedBatch& batch) {
  const size_t width = hidden();
  worker.for_each(static_cast<int32_t>(batch.passes.size()), [&](int32_t p) {
    const PassInfo& pass = batch.passes[static_cast<size_t>(p)];
    const auto begin = static_cast<size_t>(pass.token_begin);
    const auto count = static_cast<size_t>(pass.token_count);
    float* columns = buffer(kKeyColumns) + begin * width;
    for (size_t i = 0; i < count; ++i) {
      const size_t position = TokenWord::position(batch.token_words[begin + i]);
      const size_t at = position * (width / 2);
      const auto cosine = std::span(weights_.rotary.cosine).subspan(at, width / 2);
      const auto sine = std::span(weights_.rotary.sine).subspan(at, width / 2);
      float* heads = buffer(kHeads) + (begin + i) * 2 * width;
      rotate_row(cosine, sine, {heads, width});
      rotate_row(cosine, sine, {heads + width, width});
      for (size_t c = 0; c < width; ++c) columns[c * count + i] = heads[width + c];
    }
  });
}

Result<void> check_options(const CpuOptions& options) {
  const auto outside = [](int32_t value, int32_t low, int32_t high) {
    return value < low || value > high;
  };
  const auto range = [](const char* name, int32_t value, const std::string& allowed) {
    return fail(ErrorCode::kOptionRange, std::to_string(value) + " is outside " + allowed, name);
  };
  if (outside(options.threads, 0, 256)) return range("threads", options.threads, "0…256");
  if (outside(options.limits.tokens, kMaxPassTokens, 1 << 20)) {
    return range("max_batch_tokens", options.limits.tokens, "512…1048576");
  }
  if (outside(options.limits.passes, 1, 1 << 16)) {
    return range("max_batch_passes", options.limits.passes, "1…65536");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Engine>> make_cpu_engine(std::shared_ptr<const model::Weights> weights,
                                                const CpuOptions& options) {
  REX_TRY_VOID(check_options(options));
  const int32_t threads = options.threads > 0 ? options.threads : usable_cores();
  try {
    return std::make_unique<CpuEngine>(std::move(weights), threads, options.limits);
  } catch (const dnnl::error& error) {
    return fail(ErrorCode::kMemoryExhausted, std::string("oneDNN: ") + error.what(), "cpu engine");
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kMemoryExhausted, "not enough memory for weights and arena",
                "cpu engine");
  }
}

}  // namespace rex::engine
