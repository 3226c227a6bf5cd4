// What the two fused kernels share: which tiles meet, how a tile's K, V and bands come to shared
// memory, masks and the online softmax.
//
// Rows of 64 values are swizzled in parts of 16 bytes, part p of row r at p xor (r mod 8): ldmatrix
// meets no bank conflict, and warp-group products know the layout.
#pragma once

#include "engine/cuda/attention.h"
#include "engine/cuda/mma.cuh"

namespace rex::engine::cuda {

inline constexpr int kWidth = 64;  // head width
inline constexpr int kRowBytes = kWidth * 2;
inline constexpr int kBand = 128;  // rows of a band buffer: two halves of 64 distances
inline constexpr int kHalf = kBand / 2;
inline constexpr int kShift = 16;  // column of j = 0 in A and of i = 0 in B on the running way
inline constexpr float kMasked = -1e30F;

// Both tiles inside groups, and no group in common: nothing is visible.
__device__ __forceinline__ bool apart(const Tile& a, const Tile& b) {
  return a.group_low > 0 && b.group_low > 0 && (a.group_high < b.group_low || b.group_high < a.group_low);
}

// Address of part `part` of row `row`; other parts of the row differ by an xor.
template <class T>
__device__ __forceinline__ uint32_t place_of(const T* buffer, int row, int part) {
  return shared_address(buffer) + static_cast<uint32_t>(row * kRowBytes + ((part ^ (row & 7)) << 4));
}

// Sixteen rows of a swizzled buffer as the left operand of mma, from row `first` (a multiple of 16).
template <class T>
__device__ __forceinline__ void load_left(uint32_t (&rows)[4][4], const T* buffer, int first) {
  const int lane = threadIdx.x % 32;
  const uint32_t place = place_of(buffer, first + lane % 16, lane / 16);
#pragma unroll
  for (int k = 0; k < 4; ++k) load_matrix(rows[k], place ^ static_cast<uint32_t>(k * 32));
}

// Copies to shared memory, started by all threads of a block: each moves part `tid mod 8` of every
// kRows-th row. Keeps count of what lies in the band buffers.
template <class T, int kThreads>
class TileLoader {
 public:
  static constexpr int kRows = kThreads / 8;

  __device__ __forceinline__ TileLoader(const AttentionArguments<T>& arguments, const Tile& tile, int head,
                                        T* position_key, T* position_query)
      : a_(arguments),
        tile_(tile),
        row_(threadIdx.x / 8),
        part_(threadIdx.x % 8),
        place_(static_cast<uint32_t>(row_ * kRowBytes + ((part_ ^ (row_ & 7)) << 4))),
        head_(head * kWidth),
        to_key_(shared_address(position_key) + place_),
        to_query_(shared_address(position_query) + place_) {}

  // Both tiles hold running text: the running way.
  [[nodiscard]] __device__ __forceinline__ bool running(const Tile& keys) const {
    return tile_.running && keys.running;
  }
  // Buffer row of the bands' first: 64 when the halves have changed places.
  [[nodiscard]] __device__ __forceinline__ int half() const { return half_; }

  __device__ __forceinline__ void load_tokens(T* buffer, const Tile& tokens, int which) const {  // 0 Q, 1 K, 2 V
    const int ld = 3 * a_.hidden;
    const T* from = a_.qkv + head_ + which * a_.hidden + static_cast<size_t>(tokens.token_begin) * ld + part_ * 8;
    const uint32_t to = shared_address(buffer) + place_;
    const int last = tokens.token_count - 1;  // repeated: finite values that nobody reads
#pragma unroll
    for (int i = 0; i < kTileTokens; i += kRows) copy_async_16(to + i * kRowBytes, from + min(row_ + i, last) * ld);
  }
  // Rows first…first + count − 1 (multiples of kRows) of both bands; row r is distance `base` + r.
  __device__ __forceinline__ void load_bands(int first, int count, int base) const {
    const int first_slot = base + first + a_.slot_of_zero;
    if (a_.slot_of_zero >= 0 && first_slot >= 0 && first_slot + count - 1 <= a_.last_slot) {
      // Slots that rise with the distance and end nowhere in between.
      const int from = (first_slot + row_) * a_.hidden + head_ + part_ * 8;
#pragma unroll 1  // registers are scarce
      for (int row = 0; row < count; row += kRows) {
        copy_bands((first + row) * kRowBytes, from + row * a_.hidden);
      }
    } else {
#pragma unroll 1
      for (int row = first; row < first + count; row += kRows) {
        const int distance = max(-511, min(base + row + row_, 511));
        copy_bands(row * kRowBytes, __ldg(a_.slot_table + distance + 511) * a_.hidden + head_ + part_ * 8);
      }
    }
  }
  // A key tile's bands and words: what no kernel of this step has made.
  __device__ __forceinline__ void load_surroundings(const Tile& keys, uint32_t* words) {
    if (threadIdx.x < kTileTokens) {
      words[threadIdx.x] = a_.words[keys.token_begin + min(static_cast<int>(threadIdx.x), keys.token_count - 1)];
    }
    if (running(keys)) {
      const int base = tile_.position_low - keys.position_low - kHalf;  // row r: i − j = r − 64
      if (base == band_base_ - kHalf) {
        half_ ^= kHalf;  // the lower half becomes the upper; 64 new rows
        load_bands(half_, kHalf, base - half_);
      } else {
        half_ = 0;
        load_bands(0, kBand, base);
      }
      band_base_ = base;
    } else {
      const int base = tile_.position_low - keys.position_high;
      load_bands(0, min(kBand, (tile_.position_high - keys.position_low - base + kRows) / kRows * kRows), base);
      half_ = 0;
      band_base_ = kNone;
    }
  }

 private:
  static constexpr int kNone = 1024;

  __device__ __forceinline__ void copy_bands(int to, int from) const {
    copy_async_16(to_key_ + to, a_.position_key + from);
    copy_async_16(to_query_ + to, a_.position_query + from);
  }

  const AttentionArguments<T>& a_;
  const Tile& tile_;
  int row_, part_;
  uint32_t place_;
  int head_;
  uint32_t to_key_, to_query_;
  int half_ = 0;
  int band_base_ = kNone;  // distance of the bands' first row on the running way
};

// The two query rows of a lane: `quad` and `quad` + 8 of its warp's sixteen.
struct QueryRows {
  uint32_t words[2];
  bool masked[2];
  bool some_masked;  // in the warp

  __device__ __forceinline__ QueryRows(const uint32_t* all, int first, int last) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      words[r] = all[min(first + r * 8, last)];
      masked[r] = (words[r] >> 10 & 1023U) != 0;
    }
    some_masked = __any_sync(0xFFFFFFFFU, masked[0] || masked[1]);
  }
};

// What is not visible, to kMasked. `first_key`: of the scores, in the tile.
template <int kGroups>
__device__ __forceinline__ void hide_unseen(float (&score)[kGroups][4], const QueryRows& rows, const Tile& keys,
                                            const uint32_t* words, int first_key) {
  if (!rows.some_masked && !keys.some_unseen && keys.token_count == kTileTokens) return;
  const int pair = threadIdx.x % 4;
#pragma unroll
  for (int n = 0; n < kGroups; ++n) {
    const uint2 key = *reinterpret_cast<const uint2*>(words + first_key + n * 8 + pair * 2);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int j = first_key + n * 8 + pair * 2 + e % 2, r = e / 2;
      const uint32_t word = e % 2 == 0 ? key.x : key.y;
      const bool seen =
          j < keys.token_count && (word & kUnseen) == 0 && (!rows.masked[r] || visible(rows.words[r], word));
      if (!seen) score[n][e] = kMasked;
    }
  }
}

// One step of the online softmax over a lane's two rows.
struct Softmax {
  float highest[2] = {kMasked, kMasked}, sum[2] = {0.0F, 0.0F};

  // Scores become weights; `output` and the sums so far are scaled to the new maximum.
  template <int kGroups>
  __device__ __forceinline__ void step(float (&score)[kGroups][4], float (&output)[8][4]) {
    float scale[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float top = kMasked;
#pragma unroll
      for (int n = 0; n < kGroups; ++n) top = fmaxf(top, fmaxf(score[n][2 * r], score[n][2 * r + 1]));
      top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 1));
      top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 2));
      const float before = highest[r];
      highest[r] = fmaxf(before, top);
      scale[r] = fast_exp2(before - highest[r]);
      sum[r] *= scale[r];
    }
    if (__any_sync(0xFFFFFFFFU, scale[0] != 1.0F || scale[1] != 1.0F)) {
#pragma unroll
      for (int n = 0; n < 8; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) output[n][e] *= scale[e / 2];
      }
    }
    // Exactly 0 where masked (M10). A row that has seen nothing yet has `highest` at the mark, and
    // takes 0 as its base instead: 2^mark is 0.
    const float base[2] = {highest[0] == kMasked ? 0.0F : highest[0], highest[1] == kMasked ? 0.0F : highest[1]};
#pragma unroll
    for (int n = 0; n < kGroups; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        score[n][e] = fast_exp2(score[n][e] - base[e / 2]);
        sum[e / 2] += score[n][e];
      }
    }
  }
  // The sums of the four lanes that share the rows.
  __device__ __forceinline__ void close() {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      sum[r] += __shfl_xor_sync(0xFFFFFFFFU, sum[r], 1);
      sum[r] += __shfl_xor_sync(0xFFFFFFFFU, sum[r], 2);
    }
  }
};

// Running way: score += A + B from their shifted places. `a` and `b` are this lane's addresses there,
// `row_bytes` is the length of a row of B.
template <class T, int kGroups>
__device__ __forceinline__ void add_shifted(float (&score)[kGroups][4], uint32_t a, uint32_t b, uint32_t row_bytes) {
#pragma unroll
  for (int n = 0; n < kGroups / 2; ++n) {
    uint32_t from_a[4], from_b[4];
    load_matrix(from_a, a + n * 32);
    load_matrix_transposed(from_b, b + n * 16 * row_bytes);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 both = unpack<T>(add_pairs<T>(from_a[e], from_b[e]));
      score[2 * n + e / 2][e % 2 * 2] += both.x;
      score[2 * n + e / 2][e % 2 * 2 + 1] += both.y;
    }
  }
}

}  // namespace rex::engine::cuda
