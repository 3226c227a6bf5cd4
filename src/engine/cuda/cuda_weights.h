// A model's weights and constant tables in one device allocation, in the engine's precision.
#pragma once

#include <vector>

#include "engine/cuda/device_memory.h"
#include "engine/cuda/linear.h"
#include "engine/cuda/row_kernels.h"
#include "model/weights.h"

namespace rex::engine::cuda {

template <class T>
struct CudaLayer {
  DeviceLinear<T> qkv;  // queries carry log2(e) / sqrt(3·D)
  DeviceLinear<T> attention_out, ffn_in, ffn_out;
  DeviceNorm<T> attention_norm, output_norm;
  T* position_key = nullptr;    // [slots, C] (M7)
  T* position_query = nullptr;  // [slots, C], scaled as the queries
};

template <class T>
class CudaWeights {
 public:
  explicit CudaWeights(const model::Weights& weights);

  // Fills the position tables: R' through each layer's own projections. `scratch` holds
  // 4 · slots · C values.
  void make_position_tables(Products& products, T* scratch, cudaStream_t stream);

  [[nodiscard]] size_t bytes() const { return memory_.size(); }

  model::ModelConfig config;
  const T* word_embeddings = nullptr;
  DeviceNorm<T> embedding_norm, conv_norm;
  DeviceLinear<T> conv, head;
  std::vector<CudaLayer<T>> layers;
  const int32_t* slot_table = nullptr;  // distance + 511 → slot
  int32_t slot_of_zero = -1;            // slots rise by one with the distance; −1: by its logarithm
  const float2* angles = nullptr;       // [512, C / 2] cosine, sine (M22)

 private:
  T* relative_ = nullptr;  // R' [slots, C]
  DeviceBytes memory_;
};

}  // namespace rex::engine::cuda
