// Kernels that work row by row on [T, C] matrices, one warp a row, statistics in FP32.
#pragma once

#include "engine/cuda/device.h"

namespace rex::engine::cuda {

template <class T>
struct DeviceNorm {
  const T* weight = nullptr;  // [C]
  const T* bias = nullptr;    // [C]
  float eps = 0.0F;
};

// x[t] = LayerNorm(table[ids[t]]) (M1).
template <class T>
void embed(const int32_t* ids, const T* table, DeviceNorm<T> norm, T* x, int tokens, int hidden,
           cudaStream_t stream);

// x[t] = LayerNorm(x[t]) in place.
template <class T>
void layer_norm(T* x, DeviceNorm<T> norm, int tokens, int hidden, cudaStream_t stream);

// x[t] = LayerNorm2(LayerNorm1(x[t]) + gelu(conv[t])): the end of layer 0 (M16).
template <class T>
void layer_norm_conv(T* x, DeviceNorm<T> first, const T* conv, DeviceNorm<T> second, int tokens,
                     int hidden, cudaStream_t stream);

// out[t] = x[t−1], x[t], x[t+1] side by side, zeros beyond the ends of the token's pass (M14, M18).
// pass_bounds[t] = first and one-past-last token of t's pass.
template <class T>
void gather_neighbours(const T* x, const int2* pass_bounds, T* out, int tokens, int hidden,
                       cudaStream_t stream);

// Exact GELU (M13) over `count` values (a multiple of 8), in place.
template <class T>
void gelu(T* x, size_t count, cudaStream_t stream);

// Rotation of the head's queries and keys (M22) with FP32 angles; `heads` is [T, 2C] in FP32, the
// result [T, 2C] in T may be the same memory with rows of 4C values of T (ld_out).
template <class T>
void rotate(const float* heads, const uint32_t* words, const float2* angles, T* out, int ld_out,
            int tokens, int hidden, cudaStream_t stream);

}  // namespace rex::engine::cuda
