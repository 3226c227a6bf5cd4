#include "engine/cpu/cpu_engine.h"

#include <sched.h>

#include <algorithm>

#include "core/check.h"
#include "engine/collect_links.h"
#include "engine/cpu/arena_plan.h"
#include "engine/cpu/cpu_weights.h"
#include "engine/cpu/finish_panel.h"
#include "engine/cpu/pack_weights.h"
#include "engine/cpu/scores.h"

namespace rex::engine {
namespace {

constexpr int32_t kNormRows = 8;  // rows of a task that works row by row

int32_t usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
}

ConvertedWidths converted_widths(const CpuWeights& weights) {
  const auto width = [](const Linear& product) -> int64_t {
    if (product.row_type() == RowType::kF32) return 0;
    return converted_bytes(product.row_type(), product.shape().in);
  };
  const CpuLayer& layer = weights.layers.front();
  return {std::max({width(layer.qkv), width(layer.attention_out), width(layer.ffn_in),
                    width(weights.head)}),
          weights.conv ? width(*weights.conv) : 0, width(layer.ffn_out)};
}

class CpuEngine : public Engine {
 public:
  CpuEngine(std::unique_ptr<CpuWeights> weights, int32_t threads, BatchLimits limits)
      : team_(threads),
        weights_(std::move(weights)),
        widths_(converted_widths(*weights_)),
        plan_(plan_cpu_arena(weights_->config(), limits, threads, widths_)),
        arena_(static_cast<size_t>(plan_.arena_bytes)) {
    const int64_t scratch = attention_scratch_floats(weights_->attention, kMaxPassTokens);
    for (int32_t i = 0; i < threads; ++i) scratch_.emplace_back(static_cast<size_t>(scratch));
    plan_.weight_bytes = weights_->bytes();
    plan_.workspace_bytes = threads * scratch * static_cast<int64_t>(sizeof(float));
    info_ = {"cpu", std::string(name_of(weights_->precision())),
             std::string(weights_->layers.front().qkv.kernel().name), threads, limits};
    score_tasks_.reserve(static_cast<size_t>(limits.tokens));
    row_passes_.resize(static_cast<size_t>(limits.tokens));
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
  // Where converted rows go.
  struct Converted {
    std::byte* rows;
    float* scales;
    int32_t* zeros;
    ptrdiff_t stride;
  };

  std::byte* bytes_of_buffer(CpuBuffer which) {
    return arena_.data() + plan_.buffers[which].offset;
  }
  float* buffer(CpuBuffer which) { return reinterpret_cast<float*>(bytes_of_buffer(which)); }
  Converted converted(CpuBuffer which, int64_t stride) {
    // Rows that live beside kRows have scales of their own.
    const auto count = static_cast<size_t>(info_.limits.tokens + info_.limits.passes);
    float* scales = buffer(kRowScales) + (which == kRows ? 0 : 2 * count);
    return {bytes_of_buffer(which), scales, reinterpret_cast<int32_t*>(scales + count), stride};
  }
  [[nodiscard]] size_t hidden() const { return static_cast<size_t>(weights_->config().hidden); }
  std::span<float> row(float* matrix, size_t token, size_t width) {
    return {matrix + token * width, width};
  }
  [[nodiscard]] int32_t threads() const { return info_.threads; }

  template <class RowTask>
  void each_row(Worker& worker, int32_t rows, const RowTask& task) {
    worker.for_each((rows + kNormRows - 1) / kNormRows, [&](int32_t block) {
      const int32_t end = std::min(rows, (block + 1) * kNormRows);
      for (int32_t t = block * kNormRows; t < end; ++t) task(static_cast<size_t>(t));
    });
  }
  // Row `index` of x, converted for `product` if it takes other rows than f32.
  void convert(const Linear& product, const float* x, size_t index, const Converted& to) {
    if (product.row_type() == RowType::kF32) return;
    const auto width = static_cast<size_t>(product.shape().in);
    convert_row(product.row_type(), {x, width}, to.rows + static_cast<ptrdiff_t>(index) * to.stride,
                to.scales + index, to.zeros + index);
  }
  // x as the product reads it: the rows themselves, `ld` floats apart, or those converted before.
  static RowsView view_of(const Linear& product, const float* x, size_t ld, const Converted& to) {
    if (product.row_type() == RowType::kF32)
      return {x, static_cast<ptrdiff_t>(ld * sizeof(float)), nullptr, nullptr};
    return {to.rows, to.stride, to.scales, to.zeros};
  }
  void product(Worker& worker, const Linear& linear, const RowsView& x, int32_t rows, float* y) {
    worker.for_each(linear.task_count(rows, threads()),
                    [&](int32_t task) { linear.run_task(task, rows, threads(), x, y); });
  }
  // The same for [T, C] rows that were converted to kRows, if they had to be.
  void product(Worker& worker, const Linear& linear, const float* x, float* y) {
    product(worker, linear, view_of(linear, x, hidden(), converted(kRows, widths_.hidden)), rows_,
            y);
  }

  void list_score_tasks(const PackedBatch& batch);
  void forward(Worker& worker, const PackedBatch& batch);
  void embed(Worker& worker, const PackedBatch& batch);
  void convolve(Worker& worker);
  void run_layer(Worker& worker, const PackedBatch& batch, size_t index);
  void feed_forward(Worker& worker, size_t index);
  void attention(Worker& worker, const PackedBatch& batch, const CpuLayer& layer, const float* qkv,
                 float* context);
  void rotate_heads(Worker& worker, const PackedBatch& batch);

  ThreadTeam team_;
  std::unique_ptr<CpuWeights> weights_;
  ConvertedWidths widths_;
  MemoryPlan plan_;
  AlignedBytes arena_;
  std::vector<AlignedFloats> scratch_;  // one a thread
  EngineInfo info_;
  int32_t rows_ = 0;                 // tokens of the running batch
  int32_t passes_ = 0;               // and its passes
  std::vector<int32_t> row_passes_;  // [rows_] the pass of each token
  std::vector<ScoreTask> score_tasks_;
};

Result<void> CpuEngine::run(const PackedBatch& batch, LinkLists& out) {
  REX_TRY_VOID(check_batch(batch, info_.limits));
  for (const int32_t id : batch.token_ids) {
    REX_CHECK(id >= 0 && id < weights_->config().vocab_rows,
              "token ids come from the model's tokenizer");
  }
  for (const uint32_t word : batch.token_words) {
    REX_CHECK(TokenWord::position(word) < kMaxPassTokens,
              "positions of a pass are below its length");
  }
  out.clear();
  rows_ = static_cast<int32_t>(batch.token_ids.size());
  passes_ = static_cast<int32_t>(batch.passes.size());
  for (int32_t p = 0; p < passes_; ++p) {
    const PassInfo& pass = batch.passes[static_cast<size_t>(p)];
    std::fill_n(row_passes_.begin() + pass.token_begin, pass.token_count, p);
  }
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
                       weights_->config().hidden,
                       buffer(kHeads) + first * 2 * weights_->config().hidden,
                       2 * weights_->config().hidden,
                       buffer(kKeyColumns) + first * weights_->config().hidden,
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
  if (weights_->conv) convolve(worker);
  for (size_t layer = 0; layer < weights_->layers.size(); ++layer) run_layer(worker, batch, layer);
  product(worker, weights_->head, buffer(kHidden), buffer(kHeads));
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

// With a convolution every row also goes to its place among rows of zeros (M18).
void CpuEngine::embed(Worker& worker, const PackedBatch& batch) {
  const Converted rows = converted(kRows, widths_.hidden);
  each_row(worker, rows_, [&](size_t t) {
    const std::span<float> x = row(buffer(kHidden), t, hidden());
    weights_->embed(batch.token_ids[t], x);
    convert(weights_->layers.front().qkv, x.data(), t, rows);
    if (!weights_->conv) return;
    const auto pass = static_cast<size_t>(row_passes_[t]);
    float* place = buffer(kEmbedded) + (t + pass + 1) * hidden();
    std::copy(x.begin(), x.end(), place);
    const PassInfo& info = batch.passes[pass];
    if (t == 0) std::fill_n(place - hidden(), hidden(), 0.0F);
    if (static_cast<int32_t>(t) + 1 == info.token_begin + info.token_count)
      std::fill_n(place + hidden(), hidden(), 0.0F);
  });
}

// M14: the input is the embedding output. Three neighbouring rows lie one behind the other, so the
// convolution is a product whose rows overlap.
void CpuEngine::convolve(Worker& worker) {
  const Linear& conv = *weights_->conv;
  const float* embedded = buffer(kEmbedded);
  const int32_t rows = rows_ + passes_ - 1;
  const Converted to = converted(kConvRows, widths_.conv);
  if (conv.row_type() != RowType::kF32) {
    each_row(worker, rows, [&](size_t t) { convert(conv, embedded + t * hidden(), t, to); });
  }
  product(worker, conv, view_of(conv, embedded, hidden(), to), rows, buffer(kConv));
}

void CpuEngine::run_layer(Worker& worker, const PackedBatch& batch, size_t index) {
  const CpuLayer& layer = weights_->layers[index];
  float* x = buffer(kHidden);
  float* qkv = buffer(index == 0 ? kQkv0 : kQkv);
  float* context = buffer(index == 0 ? kContext0 : kContext);
  const Converted rows = converted(kRows, widths_.hidden);
  product(worker, layer.qkv, x, qkv);
  attention(worker, batch, layer, qkv, context);
  if (layer.attention_out.row_type() != RowType::kF32) {
    each_row(worker, rows_,
             [&](size_t t) { convert(layer.attention_out, context + t * hidden(), t, rows); });
  }
  product(worker, layer.attention_out, context, x);
  each_row(worker, rows_, [&](size_t t) {
    layer_norm(layer.attention_norm, row(x, t, hidden()));
    convert(layer.ffn_in, x + t * hidden(), t, rows);
  });
  feed_forward(worker, index);
  const bool with_conv = index == 0 && weights_->conv.has_value();
  const bool last = index + 1 == weights_->layers.size();
  const Linear& next = last ? weights_->head : weights_->layers[index + 1].qkv;
  each_row(worker, rows_, [&](size_t t) {
    layer_norm(layer.output_norm, row(x, t, hidden()));
    if (with_conv) {  // M16
      const size_t place = t + static_cast<size_t>(row_passes_[t]);
      add_layer_norm(weights_->conv_norm, row(x, t, hidden()), row(buffer(kConv), place, hidden()));
    }
    convert(next, x + t * hidden(), t, rows);
  });
}

// M12 without its norm, a block of rows at a time.
void CpuEngine::feed_forward(Worker& worker, size_t index) {
  const CpuLayer& layer = weights_->layers[index];
  const auto width = static_cast<size_t>(weights_->config().intermediate);
  const int32_t block = ffn_block_rows(info_.limits.tokens, threads());
  float* ffn = buffer(index == 0 ? kFfn0 : kFfn);
  const Converted ffn_rows = converted(index == 0 ? kFfnRows0 : kFfnRows, widths_.ffn);
  for (int32_t first = 0; first < rows_; first += block) {
    const int32_t rows = std::min(block, rows_ - first);
    float* x = buffer(kHidden) + static_cast<size_t>(first) * hidden();
    RowsView in =
        view_of(layer.ffn_in, buffer(kHidden), hidden(), converted(kRows, widths_.hidden));
    in.data = static_cast<const std::byte*>(in.data) + first * in.stride;
    if (in.scale != nullptr) in.scale += first, in.zero += first;
    product(worker, layer.ffn_in, in, rows, ffn);
    if (layer.ffn_out.row_type() != RowType::kF32) {
      each_row(worker, rows,
               [&](size_t t) { convert(layer.ffn_out, ffn + t * width, t, ffn_rows); });
    }
    product(worker, layer.ffn_out, view_of(layer.ffn_out, ffn, width, ffn_rows), rows, x);
  }
}

void CpuEngine::attention(Worker& worker, const PackedBatch& batch, const CpuLayer& layer,
                          const float* qkv, float* context) {
  const model::ModelConfig& config = weights_->config();
  const auto heads = config.heads;
  const ptrdiff_t panel = weights_->position_head_bytes;
  worker.for_each(static_cast<int32_t>(batch.passes.size()) * heads, [&](int32_t task) {
    const PassInfo& pass = batch.passes[static_cast<size_t>(task / heads)];
    const int32_t head = task % heads;
    const auto first = static_cast<ptrdiff_t>(pass.token_begin);
    const auto column = static_cast<ptrdiff_t>(head) * config.head_width();
    const float* query = qkv + first * weights_->attention.ld_qkv + column;
    attend(weights_->attention,
           {pass.token_count,
            batch.token_words.subspan(static_cast<size_t>(pass.token_begin),
                                      static_cast<size_t>(pass.token_count)),
            query, query + config.hidden, query + 2 * static_cast<ptrdiff_t>(config.hidden),
            layer.position_key + head * panel, layer.position_query + head * panel,
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
      const auto cosine = std::span(weights_->rotary.cosine).subspan(at, width / 2);
      const auto sine = std::span(weights_->rotary.sine).subspan(at, width / 2);
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

Result<std::unique_ptr<Engine>> make_cpu_engine(std::shared_ptr<const model::PackedModel> packed,
                                                const CpuOptions& options) {
  REX_TRY_VOID(check_options(options));
  const int32_t threads = options.threads > 0 ? options.threads : usable_cores();
  try {
    REX_TRY(weights, CpuWeights::open(std::move(packed)));
    return std::make_unique<CpuEngine>(std::move(weights), threads, options.limits);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kMemoryExhausted, "not enough memory for weights and arena",
                "cpu engine");
  }
}

Result<std::unique_ptr<Engine>> make_cpu_engine(std::shared_ptr<const model::Weights> weights,
                                                const CpuOptions& options) {
  REX_TRY_VOID(check_options(options));
  try {
    std::shared_ptr<const model::PackedModel> packed;
    {
      ThreadTeam team(options.threads > 0 ? options.threads : usable_cores());
      REX_TRY(made, pack_weights(*weights, options.precision, team));
      packed = std::move(made);
    }
    weights.reset();  // the packed copy is all that is kept
    return make_cpu_engine(std::move(packed), options);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kMemoryExhausted, "not enough memory to pack the weights", "cpu engine");
  }
}

}  // namespace rex::engine
