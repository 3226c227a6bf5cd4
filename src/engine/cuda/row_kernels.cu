#include "engine/cuda/device.cuh"
#include "engine/cuda/row_kernels.h"

namespace rex::engine::cuda {
namespace {

constexpr int kRowWarps = 4;  // rows, and warps, of a block

// Neighbouring pairs that one access moves.
template <class T, int kPairs>
struct alignas(sizeof(typename Pair<T>::type) * kPairs) Chunk {
  typename Pair<T>::type pair[kPairs];
};

// A row of up to 1,024 values in registers: lane l holds the chunks l, l + 32, …
template <int kPairs>
struct Row {
  static constexpr int kChunk = kPairs % 2 == 0 ? 2 : 1;  // pairs
  float2 v[kPairs];

  template <class T>
  __device__ __forceinline__ void load(const T* from, int lane) {
    const auto* chunks = reinterpret_cast<const Chunk<T, kChunk>*>(from);
#pragma unroll
    for (int i = 0; i < kPairs / kChunk; ++i) {
      const Chunk<T, kChunk> chunk = chunks[lane + i * 32];
#pragma unroll
      for (int c = 0; c < kChunk; ++c) v[i * kChunk + c] = widen(chunk.pair[c]);
    }
  }
  template <class T>
  __device__ __forceinline__ void store(T* to, int lane) const {
    auto* chunks = reinterpret_cast<Chunk<T, kChunk>*>(to);
#pragma unroll
    for (int i = 0; i < kPairs / kChunk; ++i) {
      Chunk<T, kChunk> chunk;
#pragma unroll
      for (int c = 0; c < kChunk; ++c) chunk.pair[c] = narrow<T>(v[i * kChunk + c]);
      chunks[lane + i * 32] = chunk;
    }
  }
  __device__ __forceinline__ void normalize(const Row& weight, const Row& bias, float eps) {
    constexpr float kCount = kPairs * 64;
    float sum = 0.0F;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) sum += v[i].x + v[i].y;
    const float mean = warp_sum(sum) / kCount;
    float squares = 0.0F;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      v[i].x -= mean;
      v[i].y -= mean;
      squares += v[i].x * v[i].x + v[i].y * v[i].y;
    }
    const float scale = rsqrtf(warp_sum(squares) / kCount + eps);
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      v[i].x = v[i].x * scale * weight.v[i].x + bias.v[i].x;
      v[i].y = v[i].y * scale * weight.v[i].y + bias.v[i].y;
    }
  }
};

// A norm's weights, loaded before the rows that it is for are there.
template <int kPairs>
struct Norm {
  Row<kPairs> weight, bias;
  float eps;

  template <class T>
  __device__ __forceinline__ Norm(const DeviceNorm<T>& norm, int lane) : eps(norm.eps) {
    weight.load(norm.weight, lane);
    bias.load(norm.bias, lane);
  }
  __device__ __forceinline__ void apply(Row<kPairs>& row) const { row.normalize(weight, bias, eps); }
};

// x·Φ(x) (M13). In FP16 and BF16, Φ(x) = 1 / (1 + 2^−P(x)), P = x·(c0 + c1·x² + c2·x⁴) fitted to the
// logarithm of Φ(x) / Φ(−x): at most 2.6e-5 from x·Φ(x), less than FP16 rounds values from 0.05 on,
// and a third of the error function's instructions. The fit holds to |x| = 8; beyond it Φ is 0 or 1.
template <class T>
__device__ __forceinline__ float gelu_of(float v) {
  if constexpr (std::is_same_v<T, float>) {
    return 0.5F * v * (1.0F + erff(v * 0.70710678118654752F));
  } else {
    const float square = fminf(v * v, 64.0F);
    const float power = v * fmaf(square, fmaf(square, -1.0144832e-3F, 0.106776738F), 2.30112047F);
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(1.0F + fast_exp2(-power)));
    return v * inverse;
  }
}

__device__ __forceinline__ int row_of_warp() { return blockIdx.x * kRowWarps + threadIdx.x / 32; }

template <class T, int kPairs>
__global__ void embed_kernel(const int32_t* ids, const T* table, DeviceNorm<T> norm, T* x, int tokens) {
  const int t = row_of_warp(), lane = threadIdx.x % 32;
  if (t >= tokens) return;
  const Norm<kPairs> weights(norm, lane);
  wait_for_previous();
  Row<kPairs> row;
  row.load(table + static_cast<size_t>(ids[t]) * kPairs * 64, lane);
  weights.apply(row);
  row.store(x + static_cast<size_t>(t) * kPairs * 64, lane);
}

template <class T, int kPairs>
__global__ void norm_kernel(T* x, DeviceNorm<T> norm, int tokens) {
  const int t = row_of_warp(), lane = threadIdx.x % 32;
  if (t >= tokens) return;
  const Norm<kPairs> weights(norm, lane);
  wait_for_previous();
  Row<kPairs> row;
  T* at = x + static_cast<size_t>(t) * kPairs * 64;
  row.load(at, lane);
  weights.apply(row);
  row.store(at, lane);
}

template <class T, int kPairs>
__global__ void norm_conv_kernel(T* x, DeviceNorm<T> first, const T* conv, DeviceNorm<T> second, int tokens) {
  const int t = row_of_warp(), lane = threadIdx.x % 32;
  if (t >= tokens) return;
  wait_for_previous();
  Row<kPairs> row, other;
  T* at = x + static_cast<size_t>(t) * kPairs * 64;
  row.load(at, lane);
  Norm<kPairs>(first, lane).apply(row);
  other.load(conv + static_cast<size_t>(t) * kPairs * 64, lane);
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    row.v[i].x += gelu_of<T>(other.v[i].x);
    row.v[i].y += gelu_of<T>(other.v[i].y);
  }
  Norm<kPairs>(second, lane).apply(row);
  row.store(at, lane);
}

template <class T>
__global__ void neighbours_kernel(const T* x, const int2* bounds, T* out, int hidden) {
  wait_for_previous();
  const int t = blockIdx.x;
  const int2 pass = bounds[t];
  using Bytes = uint2;
  const int chunks = hidden * static_cast<int>(sizeof(T)) / static_cast<int>(sizeof(Bytes));
  auto* to = reinterpret_cast<Bytes*>(out + static_cast<size_t>(t) * 3 * hidden);
  for (int i = threadIdx.x; i < 3 * chunks; i += blockDim.x) {
    const int source = t + i / chunks - 1;
    Bytes value = make_uint2(0, 0);
    if (source >= pass.x && source < pass.y) {
      value = reinterpret_cast<const Bytes*>(x + static_cast<size_t>(source) * hidden)[i % chunks];
    }
    to[i] = value;
  }
}

// In place, 16 bytes a thread and access.
template <class T>
__global__ void gelu_kernel(T* x, size_t chunks) {
  constexpr int kPairs = 16 / sizeof(typename Pair<T>::type);
  auto* at = reinterpret_cast<Chunk<T, kPairs>*>(x) + static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= reinterpret_cast<Chunk<T, kPairs>*>(x) + chunks) return;
  wait_for_previous();
  Chunk<T, kPairs> chunk = *at;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const float2 v = widen(chunk.pair[i]);
    chunk.pair[i] = narrow<T>({gelu_of<T>(v.x), gelu_of<T>(v.y)});
  }
  *at = chunk;
}

// One block a row; the whole row is read before any of it is written, so `out` may lie over it.
template <class T, int kPairs>
__global__ void rotate_kernel(const float* heads, const uint32_t* words, const float2* angles, T* out,
                              int ld_out, int tokens) {
  const int t = blockIdx.x, lane = threadIdx.x;  // 64 threads: 32 for the query, 32 for the key
  constexpr int kHidden = kPairs * 64;
  const int part = lane / 32, l = lane % 32;
  const auto* from = reinterpret_cast<const float2*>(heads + static_cast<size_t>(t) * 2 * kHidden + part * kHidden);
  const float2* angle = angles + static_cast<size_t>(position_of(words[t])) * (kHidden / 2);
  wait_for_previous();
  float2 v[kPairs];
#pragma unroll
  for (int i = 0; i < kPairs; ++i) v[i] = from[l + i * 32];
  __syncthreads();
  auto* to = reinterpret_cast<typename Pair<T>::type*>(out + static_cast<size_t>(t) * ld_out + part * kHidden);
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const float2 a = angle[l + i * 32];  // cosine, sine
    to[l + i * 32] = narrow<T>({v[i].x * a.x - v[i].y * a.y, v[i].y * a.x + v[i].x * a.y});
  }
}

// Calls `launch` with the compile-time number of pairs a lane; the loader admits only these widths.
template <class Launch>
void with_pairs(int hidden, const Launch& launch) {
  switch (hidden / 64) {
    case 1: return launch(std::integral_constant<int, 1>());
    case 2: return launch(std::integral_constant<int, 2>());
    case 4: return launch(std::integral_constant<int, 4>());
    case 6: return launch(std::integral_constant<int, 6>());
    case 8: return launch(std::integral_constant<int, 8>());
    case 12: return launch(std::integral_constant<int, 12>());
    case 16: return launch(std::integral_constant<int, 16>());
    default: throw DeviceError("hidden size " + std::to_string(hidden) + " has no row kernel");
  }
}

unsigned row_blocks(int tokens) { return static_cast<unsigned>((tokens + kRowWarps - 1) / kRowWarps); }

}  // namespace

template <class T>
void embed(const int32_t* ids, const T* table, DeviceNorm<T> norm, T* x, int tokens, int hidden,
           cudaStream_t stream) {
  with_pairs(hidden, [&](auto pairs) {
    launch(embed_kernel<T, pairs()>, row_blocks(tokens), kRowWarps * 32, 0, stream, ids, table, norm, x, tokens);
  });
  check(cudaGetLastError(), "embedding");
}

template <class T>
void layer_norm(T* x, DeviceNorm<T> norm, int tokens, int hidden, cudaStream_t stream) {
  with_pairs(hidden, [&](auto pairs) {
    launch(norm_kernel<T, pairs()>, row_blocks(tokens), kRowWarps * 32, 0, stream, x, norm, tokens);
  });
  check(cudaGetLastError(), "layer norm");
}

template <class T>
void layer_norm_conv(T* x, DeviceNorm<T> first, const T* conv, DeviceNorm<T> second, int tokens,
                     int hidden, cudaStream_t stream) {
  with_pairs(hidden, [&](auto pairs) {
    launch(norm_conv_kernel<T, pairs()>, row_blocks(tokens), kRowWarps * 32, 0, stream, x, first, conv, second, tokens);
  });
  check(cudaGetLastError(), "layer norm with convolution");
}

template <class T>
void gather_neighbours(const T* x, const int2* pass_bounds, T* out, int tokens, int hidden,
                       cudaStream_t stream) {
  launch(neighbours_kernel<T>, static_cast<unsigned>(tokens), 192, 0, stream, x, pass_bounds, out, hidden);
  check(cudaGetLastError(), "convolution input");
}

template <class T>
void gelu(T* x, size_t count, cudaStream_t stream) {
  const size_t chunks = count * sizeof(T) / 16;
  launch(gelu_kernel<T>, static_cast<unsigned>((chunks + 255) / 256), 256, 0, stream, x, chunks);
  check(cudaGetLastError(), "gelu");
}

template <class T>
void rotate(const float* heads, const uint32_t* words, const float2* angles, T* out, int ld_out,
            int tokens, int hidden, cudaStream_t stream) {
  with_pairs(hidden, [&](auto pairs) {
    launch(rotate_kernel<T, pairs()>, static_cast<unsigned>(tokens), 64, 0, stream, heads, words, angles, out, ld_out, tokens);
  });
  check(cudaGetLastError(), "rotation");
}

#define REX_INSTANTIATE(T)                                                                              \
  template void embed(const int32_t*, const T*, DeviceNorm<T>, T*, int, int, cudaStream_t);             \
  template void layer_norm(T*, DeviceNorm<T>, int, int, cudaStream_t);                                  \
  template void layer_norm_conv(T*, DeviceNorm<T>, const T*, DeviceNorm<T>, int, int, cudaStream_t);    \
  template void gather_neighbours(const T*, const int2*, T*, int, int, cudaStream_t);                   \
  template void gelu(T*, size_t, cudaStream_t);                                                         \
  template void rotate(const float*, const uint32_t*, const float2*, T*, int, int, int, cudaStream_t)
REX_INSTANTIATE(float);
REX_INSTANTIATE(half);
REX_INSTANTIATE(bfloat);
#undef REX_INSTANTIATE

}  // namespace rex::engine::cuda
