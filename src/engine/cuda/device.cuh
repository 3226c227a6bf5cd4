// What the kernels share: conversions, warp sums, token words.
#pragma once

#include "engine/cuda/device.h"

namespace rex::engine::cuda {

__device__ __forceinline__ float to_float(float v) { return v; }
__device__ __forceinline__ float to_float(half v) { return __half2float(v); }
__device__ __forceinline__ float to_float(bfloat v) { return __bfloat162float(v); }

template <class T>
__device__ __forceinline__ T from_float(float v);
template <>
__device__ __forceinline__ float from_float<float>(float v) { return v; }
template <>
__device__ __forceinline__ half from_float<half>(float v) { return __float2half_rn(v); }
template <>
__device__ __forceinline__ bfloat from_float<bfloat>(float v) { return __float2bfloat16_rn(v); }

// Two neighbouring values in one access.
template <class T>
struct Pair;
template <>
struct Pair<float> { using type = float2; };
template <>
struct Pair<half> { using type = __half2; };
template <>
struct Pair<bfloat> { using type = __nv_bfloat162; };

__device__ __forceinline__ float2 widen(float2 v) { return v; }
__device__ __forceinline__ float2 widen(__half2 v) { return __half22float2(v); }
__device__ __forceinline__ float2 widen(__nv_bfloat162 v) { return __bfloat1622float2(v); }

template <class T>
__device__ __forceinline__ typename Pair<T>::type narrow(float2 v);
template <>
__device__ __forceinline__ float2 narrow<float>(float2 v) { return v; }
template <>
__device__ __forceinline__ __half2 narrow<half>(float2 v) { return __float22half2_rn(v); }
template <>
__device__ __forceinline__ __nv_bfloat162 narrow<bfloat>(float2 v) { return __float22bfloat162_rn(v); }

__device__ __forceinline__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xFFFFFFFFU, v, offset);
  return v;
}
__device__ __forceinline__ float warp_max(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v = fmaxf(v, __shfl_xor_sync(0xFFFFFFFFU, v, offset));
  return v;
}

__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// A kernel that launch() started may begin while the one before it in the stream still ends; nothing
// that a kernel of this step has written may be read, and nothing be written, before this wait.
// sm_90; elsewhere kernels follow one another anyway.
__device__ __forceinline__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Starts a kernel that calls wait_for_previous() first.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
            Arguments... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), "kernel");
}

// TokenWord of batch.h on the device.
__device__ __forceinline__ int position_of(uint32_t word) { return static_cast<int>(word & 1023U); }
constexpr uint32_t kUnseen = 1U << 30;
__device__ __forceinline__ bool visible(uint32_t a, uint32_t b) {
  const uint32_t group_a = a >> 10 & 1023U, group_b = b >> 10 & 1023U;
  if (group_a == 0 || group_b == 0) return true;
  if (group_a != group_b) return false;
  const uint32_t type_a = a >> 20 & 1023U, type_b = b >> 20 & 1023U;
  return type_a == 0 || type_b == 0 || type_a == type_b;
}

}  // namespace rex::engine::cuda
