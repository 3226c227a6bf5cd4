// Thin names for the tensor-core instructions of sm_80 and later (PTX ISA, sections on mma,
// ldmatrix and cp.async), and what stands for them on sm_75. Fragment layouts are those of
// mma.m16n8k16.
#pragma once

#include "engine/cuda/device.cuh"

namespace rex::engine::cuda {

// d += a · b for one 16×8 tile over 16 values.
template <class T>
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1);

template <>
__device__ __forceinline__ void mma<half>(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ < 800
  // sm_75 multiplies 8 values at a time; the halves of the fragments are those of two such steps.
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b0));
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[2]), "r"(a[3]), "r"(b1));
#else
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}
template <>
__device__ __forceinline__ void mma<bfloat>(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ < 800
  __trap();  // make_cuda_engine() refuses BF16 on such a card
#else
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Four 8×8 tiles of 16-bit values; lane l gives the address of row l % 8 of tile l / 8.
__device__ __forceinline__ void load_matrix(uint32_t (&r)[4], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row));
}
__device__ __forceinline__ void load_matrix(uint32_t (&r)[4], const void* row) {
  load_matrix(r, shared_address(row));
}
__device__ __forceinline__ void load_matrix_transposed(uint32_t (&r)[4], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row));
}

__device__ __forceinline__ void copy_async_16(uint32_t shared, const void* global) {
#if __CUDA_ARCH__ < 800
  const uint4 v = *static_cast<const uint4*>(global);  // at once; the barriers stand anyway
  asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(shared), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
#else
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global));
#endif
}
__device__ __forceinline__ void copy_async_16(void* shared, const void* global) {
  copy_async_16(shared_address(shared), global);
}
__device__ __forceinline__ void copy_async_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Until at most `kPending` of this thread's groups are on their way.
template <int kPending>
__device__ __forceinline__ void copy_async_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

template <class T>
__device__ __forceinline__ float2 unpack(uint32_t v) {
  return widen(reinterpret_cast<const typename Pair<T>::type&>(v));
}

// Both pairs' sums, rounded to T.
template <class T>
__device__ __forceinline__ uint32_t add_pairs(uint32_t a, uint32_t b) {
  using P = typename Pair<T>::type;
  const P sum = __hadd2(reinterpret_cast<const P&>(a), reinterpret_cast<const P&>(b));
  return reinterpret_cast<const uint32_t&>(sum);
}

template <class T>
__device__ __forceinline__ uint32_t pack(float low, float high) {
  const typename Pair<T>::type v = narrow<T>({low, high});
  return reinterpret_cast<const uint32_t&>(v);
}

}  // namespace rex::engine::cuda
