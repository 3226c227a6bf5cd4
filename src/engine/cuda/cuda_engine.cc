#include "engine/cuda/cuda_engine.h"

#include <algorithm>
#include <map>

#include "core/check.h"
#include "engine/collect_links.h"
#include "engine/cuda/attention.h"
#include "engine/cuda/cuda_plan.h"
#include "engine/cuda/cuda_weights.h"
#include "engine/cuda/scores.h"
#include "engine/cuda/step_input.h"
#include "engine/cuda/tuning_file.h"

namespace rex::engine {
namespace cuda {
namespace {

constexpr size_t kWorkspaceBytes = size_t{32} << 20;
constexpr int32_t kLinkCapacity = 1 << 18;  // more than one pass can have: it can be asked alone
constexpr int32_t kMaxGraphRows = 4096;     // above it launches cost little beside the work

// What comes back beside the links.
struct Counters {
  uint32_t links = 0;
  uint32_t non_finite = 0;
};

template <class T>
class CudaEngine : public Engine {
 public:
  CudaEngine(const model::Weights& weights, const CudaOptions& options, std::string device_name);
  ~CudaEngine() override;

  [[nodiscard]] const EngineInfo& info() const override { return info_; }
  [[nodiscard]] const MemoryPlan& plan() const override { return plan_; }
  Result<void> run(const PackedBatch& batch, LinkLists& out) override;

  [[nodiscard]] EngineCounters counters() const override { return counters_; }

  void tune_products(const std::string& file);
  void capture_graphs();
  void give_back_buffers();

 private:
  struct Shape {
    int32_t rows = 0;   // computed, padded
    int32_t tiles = 0;  // launched, padded with empty ones
    auto operator<=>(const Shape&) const = default;
  };

  template <class U>
  U* buffer(CudaBuffer which) {
    return arena_.at<U>(static_cast<size_t>(plan_.buffers[which].offset));
  }
  template <class U>
  U* input(size_t offset) {
    return inputs_.at<U>(offset);
  }

  void take_buffers();
  void run_on_device(const PackedBatch& batch, LinkLists& out);
  Shape stage(const PackedBatch& batch);
  void launch(const Shape& shape);
  void forward(const Shape& shape);
  void run_layer(const Shape& shape, size_t index);
  void convolve(const Shape& shape);
  Counters score_listed();
  Counters score_pass(const PackedBatch& batch, size_t pass);
  void fetch_links(uint32_t count);
  void collect(const PackedBatch& batch, size_t first_pass, size_t last_pass, LinkLists& out);

  EngineInfo info_;
  EngineCounters counters_;
  MemoryPlan plan_;
  int32_t device_ = 0;
  bool pool_ = true;
  bool graphs_ = true;
  bool skip_tiles_ = true;
  cudaStream_t stream_ = nullptr;
  int32_t max_jobs_ = 0;
  InputLayout layout_;
  DeviceBytes workspace_, arena_, inputs_, results_;
  PinnedBytes staging_, results_host_;
  Products products_;
  CudaWeights<T> weights_;
  std::map<Shape, cudaGraphExec_t> captured_;
  std::vector<ScoreJob> jobs_;
  std::vector<int32_t> class_begins_;
  std::vector<DeviceLink> links_;

  // Places inside results_ (and, same offsets, results_host_).
  size_t counters_at_ = 0, classes_at_ = 0, links_at_ = 0;
};

size_t result_bytes(const BatchLimits& limits) {
  return 256 + static_cast<size_t>(limits.tokens) * sizeof(DeviceClassCells) +
         kLinkCapacity * sizeof(DeviceLink) + 1024;
}

template <class T>
CudaEngine<T>::CudaEngine(const model::Weights& weights, const CudaOptions& options,
                          std::string device_name)
    : plan_(plan_cuda_arena(weights.config, most_rows(options.limits), sizeof(T))),
      device_(options.device),
      pool_(options.memory_pool),
      graphs_(options.graphs && options.memory_pool),
      skip_tiles_(options.skip_tiles),
      max_jobs_(most_jobs(options.limits)),
      layout_(most_rows(options.limits), most_tiles(options.limits), options.limits.passes,
              max_jobs_),
      workspace_(kWorkspaceBytes),
      arena_(static_cast<size_t>(plan_.arena_bytes)),
      inputs_(layout_.bytes()),
      results_(result_bytes(options.limits)),
      staging_(layout_.bytes()),
      results_host_(result_bytes(options.limits)),
      products_(workspace_.data(), kWorkspaceBytes,
                [this] {
                  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
                  return stream_;
                }()),
      weights_(weights) {
  const auto tokens = static_cast<size_t>(options.limits.tokens);
  counters_at_ = 0;
  classes_at_ = 256;
  links_at_ = classes_at_ + (tokens * sizeof(DeviceClassCells) + 255) / 256 * 256;
  const char* precision = std::is_same_v<T, float>  ? "f32"
                          : std::is_same_v<T, half> ? "f16"
                                                    : "bf16";
  info_ = {"cuda:" + std::to_string(options.device), precision, std::move(device_name), 1,
           options.limits};
  info_.brief = true;
  plan_.weight_bytes = static_cast<int64_t>(weights_.bytes());
  plan_.workspace_bytes = static_cast<int64_t>(kWorkspaceBytes + inputs_.size() + results_.size());
  for (const DeviceBytes* bytes : {&arena_, &inputs_, &results_}) {
    check(cudaMemsetAsync(bytes->data(), 0, bytes->size(), stream_), "buffers");
  }
  weights_.make_position_tables(products_, reinterpret_cast<T*>(arena_.data()), stream_);
  links_.reserve(kLinkCapacity);
}

template <class T>
CudaEngine<T>::~CudaEngine() {
  for (const auto& [shape, graph] : captured_) cudaGraphExecDestroy(graph);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

// Fills the staging memory and starts its copy.
template <class T>
typename CudaEngine<T>::Shape CudaEngine<T>::stage(const PackedBatch& batch) {
  const auto tokens = static_cast<int32_t>(batch.token_ids.size());
  int32_t tiles = 0;
  for (const PassInfo& pass : batch.passes)
    tiles += (pass.token_count + kTileTokens - 1) / kTileTokens;
  const int32_t rows = bucket_rows(tokens);
  const Shape shape{rows, bucket_tiles(rows, tiles)};

  auto* ids = staging_.at<int32_t>(layout_.ids);
  auto* words = staging_.at<uint32_t>(layout_.words);
  auto* bounds = staging_.at<int2>(layout_.bounds);
  auto* ordinals = staging_.at<int16_t>(layout_.ordinals);
  std::copy(batch.token_ids.begin(), batch.token_ids.end(), ids);
  std::copy(batch.token_words.begin(), batch.token_words.end(), words);
  std::fill(ids + tokens, ids + shape.rows, 0);
  std::fill(words + tokens, words + shape.rows, 0U);
  std::fill(bounds + tokens, bounds + shape.rows, int2{0, 0});
  std::fill(ordinals, ordinals + shape.rows, int16_t{-1});
  auto* passes = staging_.at<DevicePass>(layout_.passes_at);
  int32_t class_begin = 0;
  class_begins_.clear();
  for (size_t p = 0; p < batch.passes.size(); ++p) {
    const PassInfo& pass = batch.passes[p];
    const int32_t end = pass.token_begin + pass.token_count;
    std::fill(bounds + pass.token_begin, bounds + end, int2{pass.token_begin, end});
    for (int32_t k = 0; k < pass.type_count; ++k) {
      ordinals[pass.token_begin + batch.type_tokens[static_cast<size_t>(pass.type_begin + k)]] =
          static_cast<int16_t>(k);
    }
    const bool cells = pass.class_cells && pass.type_count > 0;
    passes[p] = {pass.token_begin, pass.token_count, pass.text_begin, pass.logit_floor,
                 cells ? class_begin : -1};
    class_begins_.push_back(class_begin);
    if (cells) class_begin += pass.type_count;
  }
  write_tiles(batch, skip_tiles_,
              {staging_.at<Tile>(layout_.tiles_at), static_cast<size_t>(shape.tiles)});
  list_score_jobs(batch, 0, batch.passes.size(), max_jobs_, jobs_);
  std::copy(jobs_.begin(), jobs_.end(), staging_.at<ScoreJob>(layout_.jobs_at));
  const size_t bytes = layout_.jobs_at + jobs_.size() * sizeof(ScoreJob);
  check(cudaMemcpyAsync(inputs_.data(), staging_.data(), bytes, cudaMemcpyHostToDevice, stream_),
        "input");
  return shape;
}

template <class T>
void CudaEngine<T>::launch(const Shape& shape) {
  const auto found = captured_.find(shape);
  if (found == captured_.end()) return forward(shape);
  check(cudaGraphLaunch(found->second, stream_), "graph");
}

// The launches of every small shape, recorded once. At the start, because a graph takes device
// memory of its own: what is there then is all that there will be.
template <class T>
void CudaEngine<T>::capture_graphs() {
  if (!graphs_) return;
  check(cudaMemsetAsync(inputs_.data(), 0, inputs_.size(), stream_), "inputs");
  const int32_t most = std::min(kMaxGraphRows, most_rows(info_.limits));
  for (int32_t rows = bucket_rows(1); rows <= most; rows = bucket_rows(rows + 1)) {
    for (const int32_t rows_of_tile : kRowsOfTile) {
      const Shape shape{rows, tiles_for(rows, rows_of_tile)};
      forward(shape);  // once plainly: chooses products and loads kernels outside the capture
      cudaGraph_t graph = nullptr;
      check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
      forward(shape);
      check(cudaStreamEndCapture(stream_, &graph), "capture");
      cudaGraphExec_t executable = nullptr;
      const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
      cudaGraphDestroy(graph);
      check(status, "graph");
      captured_.emplace(shape, executable);
      check(cudaGraphUpload(executable, stream_), "graph");
    }
  }
  check(cudaStreamSynchronize(stream_), "graphs");
}

template <class T>
void CudaEngine<T>::forward(const Shape& shape) {
  const int32_t hidden = weights_.config.hidden;
  check(cudaMemsetAsync(results_.data() + counters_at_, 0, sizeof(Counters), stream_), "counters");
  embed<T>(input<int32_t>(layout_.ids), weights_.word_embeddings, weights_.embedding_norm,
           buffer<T>(kHidden), shape.rows, hidden, stream_);
  for (size_t layer = 0; layer < weights_.layers.size(); ++layer) run_layer(shape, layer);
  products_.run(weights_.head, buffer<T>(kHidden), buffer<float>(kHeads), shape.rows,
                Output::kStoreF32);
  rotate<T>(buffer<float>(kHeads), input<uint32_t>(layout_.words), weights_.angles,
            buffer<T>(kHeads), 2 * hidden * static_cast<int32_t>(sizeof(float) / sizeof(T)),
            shape.rows, hidden, stream_);
}

template <class T>
void CudaEngine<T>::run_layer(const Shape& shape, size_t index) {
  const CudaLayer<T>& layer = weights_.layers[index];
  const model::ModelConfig& config = weights_.config;
  T* x = buffer<T>(kHidden);
  T* qkv = buffer<T>(kQkv);
  T* ffn = buffer<T>(kFfn);
  products_.run(layer.qkv, x, qkv, shape.rows, Output::kStore);
  attend<T>({qkv, input<uint32_t>(layout_.words), input<Tile>(layout_.tiles_at), shape.tiles,
             layer.position_key, layer.position_query, weights_.slot_table, weights_.slot_of_zero,
             config.slots() - 1, config.hidden, config.heads},
            stream_);
  products_.run(layer.attention_out, qkv, x, shape.rows, Output::kAdd);
  layer_norm<T>(x, layer.attention_norm, shape.rows, config.hidden, stream_);
  products_.run(layer.ffn_in, x, ffn, shape.rows, Output::kStore);
  gelu<T>(ffn, static_cast<size_t>(shape.rows) * static_cast<size_t>(config.intermediate), stream_);
  products_.run(layer.ffn_out, ffn, x, shape.rows, Output::kAdd);
  if (index == 0 && config.conv_kernel == 3) {
    convolve(shape);
    layer_norm_conv<T>(x, layer.output_norm, buffer<T>(kConv), weights_.conv_norm, shape.rows,
                       config.hidden, stream_);
  } else {
    layer_norm<T>(x, layer.output_norm, shape.rows, config.hidden, stream_);
  }
}

// M14 takes the embedding output. It is made again here, after layer 0 has left the scratch memory:
// a cheap kernel instead of a buffer that would live through the layer.
template <class T>
void CudaEngine<T>::convolve(const Shape& shape) {
  const int32_t hidden = weights_.config.hidden;
  embed<T>(input<int32_t>(layout_.ids), weights_.word_embeddings, weights_.embedding_norm,
           buffer<T>(kConv), shape.rows, hidden, stream_);
  gather_neighbours<T>(buffer<T>(kConv), input<int2>(layout_.bounds), buffer<T>(kNeighbours),
                       shape.rows, hidden, stream_);
  products_.run(weights_.conv, buffer<T>(kNeighbours), buffer<T>(kConv), shape.rows,
                Output::kStore);
}

// The jobs of one pass alone.
template <class T>
Counters CudaEngine<T>::score_pass(const PackedBatch& batch, size_t pass) {
  list_score_jobs(batch, pass, pass + 1, max_jobs_, jobs_);
  check(cudaMemcpyAsync(inputs_.data() + layout_.jobs_at, jobs_.data(),
                        jobs_.size() * sizeof(ScoreJob), cudaMemcpyHostToDevice, stream_),
        "score jobs");
  check(cudaMemsetAsync(results_.data() + counters_at_, 0, sizeof(Counters), stream_), "counters");
  return score_listed();
}

// The jobs that lie on the device; counters are 0.
template <class T>
Counters CudaEngine<T>::score_listed() {
  const int32_t hidden = weights_.config.hidden;
  T* heads = buffer<T>(kHeads);
  score<T>({heads, heads + hidden, 2 * hidden * static_cast<int32_t>(sizeof(float) / sizeof(T)),
            hidden, input<DevicePass>(layout_.passes_at), input<int16_t>(layout_.ordinals),
            input<ScoreJob>(layout_.jobs_at), static_cast<int32_t>(jobs_.size()),
            results_.at<DeviceLink>(links_at_), kLinkCapacity, results_.at<uint32_t>(counters_at_),
            results_.at<DeviceClassCells>(classes_at_), results_.at<uint32_t>(counters_at_) + 1},
           stream_);
  // Counters, class cells and a first portion of the links in one copy: usually all there is.
  constexpr uint32_t kFirst = 2048;
  const size_t bytes = links_at_ + kFirst * sizeof(DeviceLink);
  check(cudaMemcpyAsync(results_host_.data(), results_.data(), bytes, cudaMemcpyDeviceToHost,
                        stream_),
        "results");
  check(cudaStreamSynchronize(stream_), "step");
  const Counters counters = *results_host_.at<Counters>(counters_at_);
  if (counters.links > kFirst && counters.links <= kLinkCapacity) {
    check(cudaMemcpyAsync(results_host_.data() + bytes, results_.data() + bytes,
                          (counters.links - kFirst) * sizeof(DeviceLink), cudaMemcpyDeviceToHost,
                          stream_),
          "links");
    check(cudaStreamSynchronize(stream_), "links");
  }
  return counters;
}

// The device appends in any order; the contract is row-major by pass (M25).
template <class T>
void CudaEngine<T>::fetch_links(uint32_t count) {
  const auto* found = results_host_.at<DeviceLink>(links_at_);
  links_.assign(found, found + count);
  std::sort(links_.begin(), links_.end(), [](const DeviceLink& a, const DeviceLink& b) {
    return std::tie(a.pass_and_kind, a.row, a.col) < std::tie(b.pass_and_kind, b.row, b.col);
  });
}

template <class T>
void CudaEngine<T>::collect(const PackedBatch& batch, size_t first_pass, size_t last_pass,
                            LinkLists& out) {
  size_t next = 0;
  const auto* classes = results_host_.at<DeviceClassCells>(classes_at_);
  for (size_t p = first_pass; p < last_pass; ++p) {
    for (; next < links_.size() && links_[next].pass_and_kind / 4 == static_cast<int32_t>(p);
         ++next) {
      const DeviceLink& link = links_[next];
      const Link cell{link.row, link.col, link.logit};
      switch (link.pass_and_kind % 4) {
        case kSpanLink: out.push_span(cell); break;
        case kHeadLink: out.push_head(cell); break;
        default: out.push_tail(cell); break;
      }
    }
    const PassInfo& pass = batch.passes[p];
    if (pass.class_cells) {
      const DeviceClassCells* cells = classes + class_begins_[p];
      for (int32_t k = 0; k < pass.type_count; ++k) {
        out.push_class({cells[0].marker, cells[k].marker_to_type, cells[k].type_to_marker});
      }
    }
    out.close_pass();
  }
}

// Without the pool: what a service does that asks the driver at each step. The allocations count.
template <class T>
void CudaEngine<T>::take_buffers() {
  for (DeviceBytes* bytes : {&arena_, &inputs_, &results_}) {
    const size_t size = bytes->size();
    *bytes = DeviceBytes();
    *bytes = DeviceBytes(size);
  }
}

template <class T>
void CudaEngine<T>::give_back_buffers() {
  for (DeviceBytes* bytes : {&arena_, &inputs_, &results_}) bytes->release();
}

template <class T>
Result<void> CudaEngine<T>::run(const PackedBatch& batch, LinkLists& out) {
  REX_TRY_VOID(check_batch(batch, info_.limits));
  for (const int32_t id : batch.token_ids) {
    REX_CHECK(id >= 0 && id < weights_.config.vocab_rows,
              "token ids come from the model's tokenizer");
  }
  out.clear();
  if (batch.passes.empty()) return {};
  try {
    check(cudaSetDevice(device_), "device");  // of the calling thread
    if (!pool_) take_buffers();
    run_on_device(batch, out);
    if (!pool_) give_back_buffers();
    ++counters_.steps;
    counters_.device_allocations = device_allocations();
  } catch (const DeviceError& error) {
    return fail(ErrorCode::kInternal, error.what(), info_.device);
  }
  return {};
}

template <class T>
void CudaEngine<T>::run_on_device(const PackedBatch& batch, LinkLists& out) {
  launch(stage(batch));
  const Counters all = score_listed();
  counters_.non_finite += all.non_finite;
  if (all.links <= kLinkCapacity) {
    fetch_links(all.links);
    collect(batch, 0, batch.passes.size(), out);
    return;
  }
  // More links than the list holds: pass by pass each fits, and the heads are still there.
  for (size_t p = 0; p < batch.passes.size(); ++p) {
    fetch_links(score_pass(batch, p).links);
    collect(batch, p, p + 1, out);
  }
}

template <class T>
void CudaEngine<T>::tune_products(const std::string& file) {
  TuningFile known(file, device_);
  products_.adopt(known.choices());
  const T* x = buffer<T>(kHidden);
  T* scratch = buffer<T>(kFfn);
  const CudaLayer<T>& layer = weights_.layers[0];
  for (int32_t rows = 16; rows <= most_rows(info_.limits); rows = bucket_rows(rows + 1)) {
    products_.tune(layer.qkv, x, scratch, rows, Output::kStore);
    products_.tune(layer.attention_out, scratch, buffer<T>(kHidden), rows, Output::kAdd);
    products_.tune(layer.ffn_in, x, scratch, rows, Output::kStore);
    products_.tune(layer.ffn_out, scratch, buffer<T>(kHidden), rows, Output::kAdd);
    products_.tune(weights_.head, x, scratch, rows, Output::kStoreF32);
    if (weights_.config.conv_kernel == 3) {
      products_.tune(weights_.conv, buffer<T>(kNeighbours), buffer<T>(kConv), rows, Output::kStore);
    }
  }
  check(cudaMemsetAsync(arena_.data(), 0, arena_.size(), stream_), "arena");
  check(cudaStreamSynchronize(stream_), "tuning");
  known.keep(products_.choices());
}

template <class T>
std::unique_ptr<Engine> make(const model::Weights& weights, const CudaOptions& options,
                             std::string name) {
  auto engine = std::make_unique<CudaEngine<T>>(weights, options, std::move(name));
  if (options.tune) engine->tune_products(options.tuning_file);
  engine->capture_graphs();
  if (!options.memory_pool) engine->give_back_buffers();
  return engine;
}

}  // namespace
}  // namespace cuda

Result<std::unique_ptr<Engine>> make_cuda_engine(std::shared_ptr<const model::Weights> weights,
                                                 const CudaOptions& options) {
  using namespace cuda;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    return fail(ErrorCode::kOptionRange,
                "no CUDA device is usable here (driver missing or too old?)", "device");
  }
  if (options.device < 0 || options.device >= devices) {
    return fail(ErrorCode::kOptionRange,
                "cuda:" + std::to_string(options.device) + " does not exist; there are " +
                    std::to_string(devices),
                "device");
  }
  try {
    check(cudaSetDevice(options.device), "device");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, options.device), "device properties");
    if (properties.major < 8 && options.precision == CudaPrecision::kBF16) {
      return fail(ErrorCode::kOptionRange,
                  std::string(properties.name) + " has no BF16; use f16 or f32", "precision");
    }
    size_t free_bytes = 0, total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "device memory");
    switch (options.precision) {
      case CudaPrecision::kF32: return make<float>(*weights, options, properties.name);
      case CudaPrecision::kBF16: return make<bfloat>(*weights, options, properties.name);
      case CudaPrecision::kF16: break;
    }
    return make<half>(*weights, options, properties.name);
  } catch (const DeviceError& error) {
    return fail(ErrorCode::kMemoryExhausted, error.what(),
                "cuda:" + std::to_string(options.device));
  }
}

}  // namespace rex::engine
