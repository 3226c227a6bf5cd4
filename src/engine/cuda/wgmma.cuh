// Warp-group products of sm_90a (PTX ISA, wgmma): 64 rows times 64 columns over 16 values, the right
// operand, and if wanted the left, read from shared memory. Fragment layouts are those of mma.cuh:
// warp w of the four holds rows 16w…16w + 15.
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

using Fragment = float[8][4];  // of 64×64 results

// Before the first product of a sequence, and after anything else has touched its registers.
__device__ __forceinline__ void wgmma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
// The compiler must not read the results before the wait.
__device__ __forceinline__ void settle(Fragment& d) {
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    asm volatile("" : "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])::"memory");
  }
}
// What this thread has written to shared memory can be read by products after the next barrier.
__device__ __forceinline__ void publish_to_wgmma() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#define REX_RESULTS                                                                                          \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28," \
  "%29,%30,%31}"
#define REX_FOUR(n) "+f"(d[n][0]), "+f"(d[n][1]), "+f"(d[n][2]), "+f"(d[n][3])
#define REX_OUTPUTS                                                                                       \
  REX_FOUR(0), REX_FOUR(1), REX_FOUR(2), REX_FOUR(3), REX_FOUR(4), REX_FOUR(5), REX_FOUR(6), REX_FOUR(7)

// d = or += left · right: kAdd; kRowsAreDepth: the right operand's rows run along the products' depth
// (V), else along the columns (K, bands).
#define REX_PRODUCT(TYPE, NAME)                                                                             \
  template <bool kAdd, bool kRowsAreDepth>                                                                  \
  __device__ __forceinline__ void multiply(Fragment& d, const uint32_t (&left)[4], uint64_t right, TYPE) {  \
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %37, 0;\n"                                           \
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32." NAME "." NAME " " REX_RESULTS                \
                 ", {%32,%33,%34,%35}, %36, add, 1, 1, %38;\n}"                                             \
                 : REX_OUTPUTS                                                                              \
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right), "r"(int{kAdd}),      \
                   "n"(int{kRowsAreDepth}));                                                                \
  }                                                                                                         \
  template <bool kAdd, bool kRowsAreDepth>                                                                  \
  __device__ __forceinline__ void multiply(Fragment& d, uint64_t left, uint64_t right, TYPE) {              \
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %34, 0;\n"                                           \
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32." NAME "." NAME " " REX_RESULTS                \
                 ", %32, %33, add, 1, 1, 0, %35;\n}"                                                        \
                 : REX_OUTPUTS                                                                              \
                 : "l"(left), "l"(right), "r"(int{kAdd}), "n"(int{kRowsAreDepth}));                         \
  }
REX_PRODUCT(half, "f16")
REX_PRODUCT(bfloat, "bf16")
#undef REX_PRODUCT
#undef REX_OUTPUTS
#undef REX_FOUR
#undef REX_RESULTS

// d = left (16 rows a warp) · (64 rows of a buffer)ᵀ over 64 values.
template <class T>
__device__ __forceinline__ void multiply_tile(Fragment& d, const uint32_t (&left)[4][4], uint64_t right) {
  multiply<false, false>(d, left[0], right, T{});
#pragma unroll
  for (int k = 1; k < 4; ++k) multiply<true, false>(d, left[k], right + k * kNextValues, T{});
}
template <class T>
__device__ __forceinline__ void multiply_tile(Fragment& d, uint64_t left, uint64_t right) {
  multiply<false, false>(d, left, right, T{});
#pragma unroll
  for (int k = 1; k < 4; ++k) multiply<true, false>(d, left + k * kNextValues, right + k * kNextValues, T{});
}

}  // namespace rex::engine::cuda
#endif  // REX_WGMMA
