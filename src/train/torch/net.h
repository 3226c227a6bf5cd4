// The model of specification M in LibTorch, for training. Its weights are one flat tensor in which
// every parameter is a view: the optimizer, the norm of the gradient and the checkpoint are then
// single operations, whatever the number of layers.
//
// Two copies of the values exist when computing in bf16: `master` (f32, what is trained) and
// `compute` (bf16, what the layers multiply). Otherwise they are the same tensor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "model/weights.h"
#include "train/rows.h"
#include "train/torch/torch_all.h"

namespace rex::train {

// What padding means. Training in the original pads with a token that the last real token's
// convolution sees, and counts padded cells in the loss (F20, M18); the engines do neither.
enum class Padding { kAsEngine, kAsOriginal };

struct NetOptions {
  torch::Device device = torch::kCPU;
  torch::ScalarType master = torch::kFloat;   // kDouble for tests
  torch::ScalarType compute = torch::kFloat;  // kBFloat16 for speed
  double dropout = 0.1;                       // F23
  Padding padding = Padding::kAsEngine;
  bool language_head = false;  // parameters for masked language modelling
};

// Rows padded to one length, on the device.
struct BatchTensors {
  torch::Tensor ids;        // [B, N] int64
  torch::Tensor position;   // [B, N] int64 (P19; continued over padding, F18)
  torch::Tensor visible;    // [B, N, N] bool (P21–P24)
  torch::Tensor hidden;     // its opposite
  torch::Tensor slots;      // [B, N, N] int64, into rows [slot_begin, slot_end) of the table (M8)
  torch::Tensor real;       // [B, N] bool
  torch::Tensor positive;   // [B, N, N] bool; undefined without labels
  torch::Tensor targets;    // [K] int64, and
  torch::Tensor target_at;  // [K] int64 into the flattened [B·N]; undefined without them
  int64_t slot_begin = 0, slot_end = 0;
  int64_t real_tokens = 0;
};

class Net {
 public:
  // Errors: CONFIG_UNSUPPORTED for logarithmic buckets, which no training uses.
  static Result<std::unique_ptr<Net>> make(const model::ModelConfig& config,
                                           const NetOptions& options);

  // Normal of deviation 0.02, norms one, biases zero; the rotary frequencies by M22.
  void randomise(uint64_t seed);
  void load(const model::Weights& weights);
  // Writes a model folder. `vocabulary` is the folder whose vocab.txt is copied.
  Result<void> save(const std::filesystem::path& dir, const std::filesystem::path& vocabulary,
                    model::DType dtype) const;

  [[nodiscard]] BatchTensors put(std::span<const Row* const> rows) const;

  // Encoder output [B, N, C] in the compute type. training: dropout is on.
  // recompute: bit l is set when layer l keeps only its input for the backward pass.
  torch::Tensor encode(const BatchTensors& batch, bool training, uint64_t recompute = 0);
  // The score matrix Z [B, N, N] (M21–M23), f32 or f64.
  torch::Tensor scores(const torch::Tensor& hidden, const BatchTensors& batch);
  // Mean cross entropy at the masked tokens.
  torch::Tensor language_loss(const torch::Tensor& hidden, const BatchTensors& batch);

  // After the master values have changed.
  void refresh();

  torch::Tensor master;  // [P]
  torch::Tensor grad;    // [P], compute type; backward passes add to it
  int64_t decayed = 0;   // the first so many values take weight decay (F23)

  struct Slice {
    std::string name;
    std::vector<int64_t> shape;
    int64_t begin = 0;
    int64_t count = 0;
  };
  [[nodiscard]] const std::vector<Slice>& slices() const { return slices_; }
  [[nodiscard]] const model::ModelConfig& config() const { return config_; }
  [[nodiscard]] const NetOptions& options() const { return options_; }
  // Use the master values for what follows (evaluation in f32 of a model trained in bf16).
  void use_master(bool yes) { use_master_ = yes; }

 private:
  struct Layer {
    torch::Tensor q_w, q_b, k_w, k_b, v_w, v_b, o_w, o_b, on_w, on_b, i_w, i_b, f_w, f_b, fn_w,
        fn_b;
  };
  struct Views {
    std::map<std::string, torch::Tensor> by_name;
    std::vector<Layer> layers;
    const torch::Tensor& operator[](const std::string& name) const { return by_name.at(name); }
  };

  Net(const model::ModelConfig& config, const NetOptions& options);
  Views views_of(const torch::Tensor& flat, const torch::Tensor& grads) const;
  [[nodiscard]] const Views& views() const { return use_master_ ? master_views_ : compute_views_; }
  torch::Tensor norm(const torch::Tensor& x, const torch::Tensor& weight,
                     const torch::Tensor& bias) const;
  torch::Tensor drop(const torch::Tensor& x, bool training) const;
  torch::Tensor attention(const Layer& layer, const torch::Tensor& x, const torch::Tensor& table,
                          const BatchTensors& batch, bool training) const;
  torch::Tensor layer(const Layer& layer, const torch::Tensor& x, const torch::Tensor& table,
                      const BatchTensors& batch, bool training) const;
  torch::Tensor recomputed(const Layer& layer, const torch::Tensor& x, const torch::Tensor& table,
                           const BatchTensors& batch, bool training) const;
  torch::Tensor convolution(const torch::Tensor& embedded, const torch::Tensor& first,
                            const BatchTensors& batch, bool training) const;

  model::ModelConfig config_;
  NetOptions options_;
  std::vector<Slice> slices_;
  torch::Tensor compute_, frequencies_;
  Views compute_views_, master_views_;
  bool use_master_ = false;
};

}  // namespace rex::train
