// Warp-group products of sm_90a (PTX ISA, wgmma): 64 rows times 32 or 64 columns over 16 values, the
// right operand, and if wanted the left, read from shared memory. Fragment layouts are those of
// mma.cuh: warp w of the four holds rows 16w…16w + 15.
//
// Operands in shared memory are rows of 64 values with part p of 16 bytes of row r at p xor (r mod 8):
// the layout that the instruction calls a swizzle of 128 bytes. They begin at multiples of 1024 bytes.
#pragma once

#include "engine/cuda/mma.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define REX_WGMMA 1
#else
#define REX_WGMMA 0
#endif

#if REX_WGMMA
namespace rex::engine::cuda {

// Where an operand lies: address, 1024 bytes from eight rows to the next eight, swizzle of 128 bytes.
__device__ __forceinline__ uint64_t operand(uint32_t shared) {
  constexpr uint64_t kEightRows = uint64_t{1024 >> 4} << 32, kSwizzle = uint64_t{1} << 62;
  constexpr uint64_t kUnused = uint64_t{1} << 16;
  return kSwizzle | kEightRows | kUnused | (shared & 0x3FFFFU) >> 4;
}
// The next 16 values of each row; the next 16 rows. In units of an operand's address.
constexpr uint64_t kNextValues = 32 >> 4;
constexpr uint64_t kNextRows = 16 * 128 >> 4;

// Before the first product of a sequence, and after anything else has touched its registers.
__device__ __forceinline__ void wgmma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
// The compiler must not read results before the wait, nor write them after the beginning.
template <int kGroups>
__device__ __forceinline__ void settle(float (&d)[kGroups][4]) {
#pragma unroll
  for (int n = 0; n < kGroups; ++n) {
    asm volatile("" : "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])::"memory");
  }
}
// What this thread has written to shared memory can be read by products after the next barrier.
__device__ __forceinline__ void publish_to_wgmma() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#define REX_FOUR(n) "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])
#define REX_PRODUCTS(TYPE, NAME)                                                                             \
  /* 64×32: d = or += left · (32 rows)ᵀ */                                                                   \
  template <bool kAdd>                                                                                       \
  __device__ __forceinline__ void multiply(float (&d)[4][4], const uint32_t (&left)[4], uint64_t right, TYPE) { \
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %21, 0;\n"                                            \
                 "wgmma.mma_async.sync.aligned.m64n32k16.f32." NAME "." NAME                                 \
                 " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}"                                  \
                 ", {%16,%17,%18,%19}, %20, add, 1, 1, 0;\n}"                                                \
                 : REX_FOUR(0), REX_FOUR(1), REX_FOUR(2), REX_FOUR(3)                                        \
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right), "n"(int{kAdd}));      \
  }                                                                                                          \
  /* the same with the left operand in shared memory */                                                      \
  template <bool kAdd>                                                                                       \
  __device__ __forceinline__ void multiply(float (&d)[4][4], uint64_t left, uint64_t right, TYPE) {          \
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %18, 0;\n"                                            \
                 "wgmma.mma_async.sync.aligned.m64n32k16.f32." NAME "." NAME                                 \
                 " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}"                                  \
                 ", %16, %17, add, 1, 1, 0, 0;\n}"                                                           \
                 : REX_FOUR(0), REX_FOUR(1), REX_FOUR(2), REX_FOUR(3)                                        \
                 : "l"(left), "l"(right), "n"(int{kAdd}));                                                   \
  }                                                                                                          \
  /* 64×64: d += weights · 16 rows of values, which run along the depth */                                   \
  __device__ __forceinline__ void multiply_values(float (&d)[8][4], const uint32_t (&weights)[4],            \
                                                  uint64_t values, TYPE) {                                   \
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32." NAME "." NAME                                 \
                 " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"  \
                 "%24,%25,%26,%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"                     \
                 : REX_FOUR(0), REX_FOUR(1), REX_FOUR(2), REX_FOUR(3), REX_FOUR(4), REX_FOUR(5),             \
                   REX_FOUR(6), REX_FOUR(7)                                                                  \
                 : "r"(weights[0]), "r"(weights[1]), "r"(weights[2]), "r"(weights[3]), "l"(values));         \
  }
REX_PRODUCTS(half, "f16")
REX_PRODUCTS(bfloat, "bf16")
#undef REX_PRODUCTS
#undef REX_FOUR

// d = left · (32 rows)ᵀ over 64 values; left: this warp's sixteen rows, or 64 rows in shared memory.
template <class T>
__device__ __forceinline__ void multiply_rows(float (&d)[4][4], const uint32_t (&left)[4][4], uint64_t right) {
  multiply<false>(d, left[0], right, T{});
#pragma unroll
  for (int k = 1; k < 4; ++k) multiply<true>(d, left[k], right + k * kNextValues, T{});
}
template <class T>
__device__ __forceinline__ void multiply_rows(float (&d)[4][4], uint64_t left, uint64_t right) {
  multiply<false>(d, left, right, T{});
#pragma unroll
  for (int k = 1; k < 4; ++k) multiply<true>(d, left + k * kNextValues, right + k * kNextValues, T{});
}

}  // namespace rex::engine::cuda
#endif  // REX_WGMMA
