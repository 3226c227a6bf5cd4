#include "engine/cuda/cuda_weights.h"

#include <cmath>
#include <cstring>
#include <initializer_list>

#include "engine/tables.h"

namespace rex::engine::cuda {
namespace {

constexpr size_t kAlignment = 256;

template <class T>
constexpr model::DType dtype_of() {
  if constexpr (std::is_same_v<T, half>) return model::DType::kF16;
  if constexpr (std::is_same_v<T, bfloat>) return model::DType::kBF16;
  return model::DType::kF32;
}

// The pool as it is laid out on the host before one copy moves it to the device.
class Image {
 public:
  // Reserves an aligned piece and returns its offset.
  size_t reserve(size_t bytes) {
    const size_t at = bytes_.size();
    bytes_.resize(at + (bytes + kAlignment - 1) / kAlignment * kAlignment);
    return at;
  }
  size_t put(const void* data, size_t bytes) {
    const size_t at = reserve(bytes);
    std::memcpy(bytes_.data() + at, data, bytes);
    return at;
  }
  template <class T>
  size_t put_floats(const std::vector<float>& values) {
    const size_t at = reserve(values.size() * sizeof(T));
    model::encode_floats(values, dtype_of<T>(),
                         std::span(bytes_).subspan(at, values.size() * sizeof(T)));
    return at;
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<float> stacked(std::initializer_list<const model::TensorView*> parts,
                           float first_scale) {
  std::vector<float> all;
  for (const auto* part : parts) {
    std::vector<float> values = model::as_floats(*part);
    if (all.empty()) {
      for (float& v : values) v *= first_scale;
    }
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

// [out, in, tap] → [out, tap · C + in], the order of gathered neighbours.
std::vector<float> tap_major(const model::TensorView& weight, size_t width) {
  const std::vector<float> plain = model::as_floats(weight);
  std::vector<float> result(plain.size());
  for (size_t out = 0; out < width; ++out) {
    for (size_t in = 0; in < width; ++in) {
      for (size_t tap = 0; tap < 3; ++tap) {
        result[(out * 3 + tap) * width + in] = plain[(out * width + in) * 3 + tap];
      }
    }
  }
  return result;
}

// R' of M5, on the host: a table of half a megabyte, once.
std::vector<float> normalized_relative(const model::Weights& w) {
  std::vector<float> table = model::as_floats(w.relative_embeddings);
  const std::vector<float> weight = model::as_floats(w.relative_norm_weight);
  const std::vector<float> bias = model::as_floats(w.relative_norm_bias);
  const size_t width = weight.size();
  for (size_t begin = 0; begin < table.size(); begin += width) {
    double mean = 0.0, variance = 0.0;
    for (size_t i = 0; i < width; ++i) mean += table[begin + i];
    mean /= static_cast<double>(width);
    for (size_t i = 0; i < width; ++i)
      variance += (table[begin + i] - mean) * (table[begin + i] - mean);
    const double scale =
        1.0 / std::sqrt(variance / static_cast<double>(width) + w.config.layer_norm_eps);
    for (size_t i = 0; i < width; ++i) {
      table[begin + i] =
          static_cast<float>((table[begin + i] - mean) * scale * weight[i] + bias[i]);
    }
  }
  return table;
}

}  // namespace

template <class T>
CudaWeights<T>::CudaWeights(const model::Weights& w) : config(w.config) {
  Image image;
  const int32_t hidden = config.hidden, ffn = config.intermediate;
  // First pass: place everything and keep offsets in the pointers' stead; then move and rebase.
  const auto offset = [](size_t at) { return reinterpret_cast<const T*>(at); };
  const auto put = [&](const std::vector<float>& values) {
    return offset(image.put_floats<T>(values));
  };
  const auto linear = [&](const std::vector<float>& weight, const std::vector<float>& bias,
                          int32_t in, int32_t out) {
    return DeviceLinear<T>{put(weight), put(bias), in, out, in};
  };
  const auto norm = [&](const model::TensorView& weight, const model::TensorView& bias) {
    return DeviceNorm<T>{put(model::as_floats(weight)), put(model::as_floats(bias)),
                         config.layer_norm_eps};
  };
  const float scale = static_cast<float>(1.4426950408889634 / std::sqrt(3.0 * config.head_width()));

  word_embeddings = put(model::as_floats(w.word_embeddings));
  embedding_norm = norm(w.embedding_norm_weight, w.embedding_norm_bias);
  for (const model::LayerWeights& l : w.layers) {
    CudaLayer<T> layer;
    layer.qkv =
        linear(stacked({&l.query_weight, &l.key_weight, &l.value_weight}, scale),
               stacked({&l.query_bias, &l.key_bias, &l.value_bias}, scale), hidden, 3 * hidden);
    layer.attention_out = linear(model::as_floats(l.attention_out_weight),
                                 model::as_floats(l.attention_out_bias), hidden, hidden);
    layer.attention_out.ld_in = 3 * hidden;  // contexts lie where the queries were
    layer.ffn_in =
        linear(model::as_floats(l.ffn_in_weight), model::as_floats(l.ffn_in_bias), hidden, ffn);
    layer.ffn_out =
        linear(model::as_floats(l.ffn_out_weight), model::as_floats(l.ffn_out_bias), ffn, hidden);
    layer.attention_norm = norm(l.attention_norm_weight, l.attention_norm_bias);
    layer.output_norm = norm(l.output_norm_weight, l.output_norm_bias);
    const size_t table =
        static_cast<size_t>(config.slots()) * static_cast<size_t>(hidden) * sizeof(T);
    layer.position_key = const_cast<T*>(offset(image.reserve(table)));    // NOLINT
    layer.position_query = const_cast<T*>(offset(image.reserve(table)));  // NOLINT
    layers.push_back(layer);
  }
  if (config.conv_kernel == 3) {
    conv = linear(tap_major(w.conv_weight, static_cast<size_t>(hidden)),
                  model::as_floats(w.conv_bias), 3 * hidden, hidden);
    conv_norm = norm(w.conv_norm_weight, w.conv_norm_bias);
  }
  head = {put(stacked({&w.query_head_weight, &w.key_head_weight}, 1.0F)),
          offset(image.put_floats<float>(stacked({&w.query_head_bias, &w.key_head_bias}, 1.0F))),
          hidden, 2 * hidden, hidden};
  relative_ = const_cast<T*>(put(normalized_relative(w)));  // NOLINT

  const SlotTable slots = make_slot_table(config);
  if (config.max_relative_positions <= 0) slot_of_zero = config.position_buckets;  // M4
  const size_t slots_at = image.put(slots.data(), sizeof slots);
  const RotaryTable rotary = make_rotary_table(model::as_floats(w.rotary_frequencies));
  std::vector<float2> pairs(rotary.cosine.size());
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = {rotary.cosine[i], rotary.sine[i]};
  const size_t angles_at = image.put(pairs.data(), pairs.size() * sizeof(float2));

  memory_ = DeviceBytes(image.bytes().size());
  check(cudaMemcpy(memory_.data(), image.bytes().data(), image.bytes().size(),
                   cudaMemcpyHostToDevice),
        "weights");
  const auto rebase = [&](auto& pointer) {
    using Pointer = std::remove_reference_t<decltype(pointer)>;
    pointer = reinterpret_cast<Pointer>(memory_.data() + reinterpret_cast<size_t>(pointer));
  };
  const auto rebase_linear = [&](DeviceLinear<T>& l) { rebase(l.weight), rebase(l.bias); };
  const auto rebase_norm = [&](DeviceNorm<T>& n) { rebase(n.weight), rebase(n.bias); };
  rebase(word_embeddings);
  rebase(relative_);
  rebase_norm(embedding_norm);
  rebase_linear(head);
  if (config.conv_kernel == 3) rebase_linear(conv), rebase_norm(conv_norm);
  for (CudaLayer<T>& l : layers) {
    rebase_linear(l.qkv), rebase_linear(l.attention_out), rebase_linear(l.ffn_in),
        rebase_linear(l.ffn_out);
    rebase_norm(l.attention_norm), rebase_norm(l.output_norm);
    rebase(l.position_key), rebase(l.position_query);
  }
  slot_table = memory_.at<int32_t>(slots_at);
  angles = memory_.at<float2>(angles_at);
}

template <class T>
void CudaWeights<T>::make_position_tables(Products& products, T* scratch, cudaStream_t stream) {
  const size_t row = static_cast<size_t>(config.hidden) * sizeof(T);
  const auto slots = static_cast<size_t>(config.slots());
  for (CudaLayer<T>& layer : layers) {
    products.run(layer.qkv, relative_, scratch, config.slots(), Output::kStore);
    check(cudaMemcpy2DAsync(layer.position_query, row, scratch, 3 * row, row, slots,
                            cudaMemcpyDeviceToDevice, stream),
          "tables");
    check(cudaMemcpy2DAsync(layer.position_key, row, scratch + config.hidden, 3 * row, row, slots,
                            cudaMemcpyDeviceToDevice, stream),
          "tables");
  }
  check(cudaStreamSynchronize(stream), "tables");
}

template class CudaWeights<float>;
template class CudaWeights<half>;
template class CudaWeights<bfloat>;

}  // namespace rex::engine::cuda
