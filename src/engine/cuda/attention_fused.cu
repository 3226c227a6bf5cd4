// score[i,j] = q_i·k_j + q_i·PK[u] + k_j·PQ[u], u = slot(pos_i − pos_j); softmax over visible j; ·V
//
// One block: 64 query rows of one head; four warps of 16 rows; a loop over tiles of 64 keys.
// Between a query tile and a key tile only the distances dmin = min pos_i − max pos_j … dmax occur;
// in running text that is 127 of them. For each tile pair:
//   1. K, V and the band of PK and PQ rows for those distances come to shared memory;
//      row r of a band is the table's row at slot(dmin + r), whatever rule made the slots
//   2. C = Q·Kᵀ stays in registers; A = Q·PKbandᵀ (each warp its 16 rows) and B = K·PQbandᵀ (each
//      warp 16 keys) go to shared memory in half precision; of the band each warp computes only
//      the columns that its rows can meet (79 in running text)
//   3. the next tile's K, V and bands start on their way, while
//      C += A[i, d − dmin] + B[j, d − dmin]; mask by token words; online softmax; O += P·V
// A band wider than 128 (a tile on the border of prompt and text) is walked in pieces; every
// element takes its value from the piece that holds its distance.
//
// Shared memory: K 9 KB, V twice 18 KB, bands 36 KB, A and B 34 KB: two blocks a multiprocessor on
// sm_90. Measured on an H200 at 16×512, base size, one layer: version 1 (slots looked up in device
// memory, no overlap of loads) 459 µs.
#include "engine/cuda/attention.h"
#include "engine/cuda/mma.cuh"

namespace rex::engine::cuda {
namespace {

constexpr int kWidth = 64;           // head width
constexpr int kLd = kWidth + 8;      // of rows in shared memory: no bank conflicts for ldmatrix
constexpr int kBand = 128;           // columns of a band piece
constexpr int kLdBand = kBand + 8;
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * 32;
constexpr float kMasked = -1e30F;

template <class T>
struct Shared {
  T key[kTileTokens * kLd];
  T value[2][kTileTokens * kLd];        // of this tile and the next
  T position_key[kBand * kLd];
  T position_query[kBand * kLd];
  T query_band[kTileTokens * kLdBand];  // A; holds Q before the loop
  T key_band[kTileTokens * kLdBand];    // B
  uint32_t words[2][kTileTokens];       // of the keys
  int16_t slots[1024];                  // slot of distance d at [d + 511]
};

// Rows of 64 values from device memory, `source(row)` giving each row's address. Rows from
// `rows` on repeat the last: finite values that nobody reads.
template <class T, class Source>
__device__ __forceinline__ void load_rows(T* target, int rows, int wanted, Source source) {
#pragma unroll 4
  for (int i = threadIdx.x; i < wanted * 8; i += kThreads) {
    const int row = i / 8, part = i % 8;
    copy_async_16(target + row * kLd + part * 8, source(min(row, rows - 1)) + part * 8);
  }
}

__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

struct Range {
  int low, high;
};

// Smallest and largest position of 16 rows, the same in all lanes. Rows that do not exist count as
// the last that does.
__device__ __forceinline__ Range position_range(uint32_t word) {
  int low = position_of(word), high = low;
  for (int offset = 8; offset > 0; offset /= 2) {
    low = min(low, __shfl_xor_sync(0xFFFFFFFFU, low, offset));
    high = max(high, __shfl_xor_sync(0xFFFFFFFFU, high, offset));
  }
  return {low, high};
}

// One warp: out[16 rows, columns first…last) = fragments · bandᵀ, as T. Four groups of eight columns
// at a time keep four independent chains of products in flight; first and last are multiples of 32.
template <class T>
__device__ __forceinline__ void band_product(const uint32_t (&rows)[4][4], const T* band, T* out,
                                             int first, int last) {
  const int lane = threadIdx.x % 32, quad = lane / 4, pair = lane % 4;
  for (int column = first; column < last; column += 32) {
    float sum[4][4] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        uint32_t b[4];
        load_matrix(b, band + (column + n * 16 + lane % 8 + lane / 16 * 8) * kLd + k * 16 + lane / 8 % 2 * 8);
        mma<T>(sum[2 * n], rows[k], b[0], b[1]);
        mma<T>(sum[2 * n + 1], rows[k], b[2], b[3]);
      }
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      T* to = out + quad * kLdBand + column + n * 8 + pair * 2;
      *reinterpret_cast<typename Pair<T>::type*>(to) = narrow<T>({sum[n][0], sum[n][1]});
      *reinterpret_cast<typename Pair<T>::type*>(to + 8 * kLdBand) = narrow<T>({sum[n][2], sum[n][3]});
    }
  }
}

// Both tiles inside groups, and no group in common: nothing is visible.
__device__ __forceinline__ bool apart(const Tile& a, const Tile& b) {
  return a.group_low > 0 && b.group_low > 0 && (a.group_high < b.group_low || b.group_high < a.group_low);
}

template <class T>
__global__ __launch_bounds__(kThreads, 2) void fused_kernel(AttentionArguments<T> a) {
  extern __shared__ __align__(128) unsigned char memory[];
  Shared<T>& s = *reinterpret_cast<Shared<T>*>(memory);
  const Tile tile = a.tiles[blockIdx.x];
  if (tile.token_count == 0) return;  // padding of a captured graph
  const int head = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int quad = lane / 4, pair = lane % 4;
  const int ld = 3 * a.hidden;
  const T* qkv = a.qkv + head * kWidth;
  const T* position_key = a.position_key + head * kWidth;
  const T* position_query = a.position_query + head * kWidth;

  // The first key tile that is visible at all, and the one after `t`. A tile sees at least itself.
  const auto next_visible = [&](int t) {
    while (t < tile.pass_tiles && apart(tile, a.tiles[tile.pass_tile + t])) ++t;
    return t;
  };
  const auto load_band = [&](int base, int wanted) {
    const auto row_of = [&](int row) { return static_cast<size_t>(s.slots[min(base + row, 511) + 511]) * a.hidden; };
    load_rows(s.position_key, wanted, wanted, [&](int row) { return position_key + row_of(row); });
    load_rows(s.position_query, wanted, wanted, [&](int row) { return position_query + row_of(row); });
  };
  // Starts the copies for a key tile; V and the words go to buffer `side`.
  const auto load_tile = [&](const Tile& keys, int side) {
    load_rows(s.key, keys.token_count, kTileTokens,
              [&](int row) { return qkv + a.hidden + static_cast<size_t>(keys.token_begin + row) * ld; });
    load_rows(s.value[side], keys.token_count, kTileTokens,
              [&](int row) { return qkv + 2 * a.hidden + static_cast<size_t>(keys.token_begin + row) * ld; });
    const int lowest = tile.position_low - keys.position_high;
    const int distances = tile.position_high - keys.position_low - lowest + 1;
    load_band(lowest, min(kBand, (distances + 31) / 32 * 32));
    if (threadIdx.x < kTileTokens) {
      s.words[side][threadIdx.x] = a.words[keys.token_begin + min(static_cast<int>(threadIdx.x), keys.token_count - 1)];
    }
    copy_async_commit();
  };

  for (int i = threadIdx.x; i < 1023; i += kThreads) s.slots[i] = static_cast<int16_t>(a.slot_table[i]);
  // Q to registers by way of shared memory.
  load_rows(s.query_band, tile.token_count, kTileTokens,
            [&](int row) { return qkv + static_cast<size_t>(tile.token_begin + row) * ld; });
  copy_async_commit();
  copy_async_wait();
  __syncthreads();
  int t = next_visible(0), side = 0;
  load_tile(a.tiles[tile.pass_tile + t], side);
  uint32_t query[4][4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    load_matrix(query[k], s.query_band + (warp * 16 + lane % 16) * kLd + k * 16 + lane / 16 * 8);
  }
  const int last_row = tile.token_count - 1;
  const uint32_t* row_words = a.words + tile.token_begin;
  const uint32_t own[2] = {row_words[min(warp * 16 + quad, last_row)],
                           row_words[min(warp * 16 + quad + 8, last_row)]};
  const Range warp_rows = position_range(row_words[min(warp * 16 + lane % 16, last_row)]);
  const bool row_masked[2] = {(own[0] >> 10 & 1023U) != 0, (own[1] >> 10 & 1023U) != 0};

  float output[8][4] = {};
  float highest[2] = {kMasked, kMasked}, sum[2] = {0.0F, 0.0F};

  while (t < tile.pass_tiles) {
    const Tile keys = a.tiles[tile.pass_tile + t];
    const int lowest_distance = tile.position_low - keys.position_high;
    const int distances = tile.position_high - keys.position_low - lowest_distance + 1;
    copy_async_wait();
    __syncthreads();  // this tile has come, and all warps have left the one before

    float score[8][4] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        uint32_t b[4];
        load_matrix(b, s.key + (n * 16 + lane % 8 + lane / 16 * 8) * kLd + k * 16 + lane / 8 % 2 * 8);
        mma<T>(score[2 * n], query[k], b[0], b[1]);
        mma<T>(score[2 * n + 1], query[k], b[2], b[3]);
      }
    }
    uint32_t key[4][4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      load_matrix(key[k], s.key + (warp * 16 + lane % 16) * kLd + k * 16 + lane / 16 * 8);
    }
    const Range key_rows = position_range(s.words[side][warp * 16 + lane % 16]);
    const int next = next_visible(t + 1);

    for (int base = lowest_distance; base < lowest_distance + distances; base += kBand) {
      const int wanted = min(kBand, (lowest_distance + distances - base + 31) / 32 * 32);
      if (base > lowest_distance) {
        __syncthreads();  // the piece before has been read
        load_band(base, wanted);
        copy_async_commit();
        copy_async_wait();
        __syncthreads();
      }
      // Columns that this warp's rows, and its sixteen keys, can meet.
      const auto columns = [&](int low, int high) {
        return Range{max(0, low - base) / 32 * 32, min(wanted, (high - base + 32) / 32 * 32)};
      };
      const Range mine = columns(warp_rows.low - keys.position_high, warp_rows.high - keys.position_low);
      band_product(query, s.position_key, s.query_band + warp * 16 * kLdBand, mine.low, mine.high);
      const Range theirs = columns(tile.position_low - key_rows.high, tile.position_high - key_rows.low);
      band_product(key, s.position_query, s.key_band + warp * 16 * kLdBand, theirs.low, theirs.high);
      __syncthreads();
      const bool last_piece = base + kBand >= lowest_distance + distances;
      if (last_piece && next < tile.pass_tiles) load_tile(a.tiles[tile.pass_tile + next], 1 - side);

      // Rows of the bands, so placed that they can be indexed by distance.
      const T* query_band = s.query_band + (warp * 16 + quad) * kLdBand - base;
      const T* key_band = s.key_band - base;
      const int position[2] = {position_of(own[0]), position_of(own[1])};
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        const uint2 pair_words = *reinterpret_cast<const uint2*>(&s.words[side][n * 8 + pair * 2]);
        const int key_position[2] = {position_of(pair_words.x), position_of(pair_words.y)};
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int distance = position[e / 2] - key_position[e % 2];
          if (distances <= kBand || (distance >= base && distance < base + wanted)) {
            score[n][e] += to_float(query_band[e / 2 * 8 * kLdBand + distance]) +
                           to_float(key_band[(n * 8 + pair * 2 + e % 2) * kLdBand + distance]);
          }
        }
      }
    }

    const bool whole = keys.token_count == kTileTokens;
    float tile_highest[2] = {kMasked, kMasked};
#pragma unroll
    for (int n = 0; n < 8; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int j = n * 8 + pair * 2 + e % 2, r = e / 2;
        const bool seen = (whole || j < keys.token_count) && (!row_masked[r] || visible(own[r], s.words[side][j]));
        if (!seen) score[n][e] = kMasked;
        tile_highest[r] = fmaxf(tile_highest[r], score[n][e]);
      }
    }
    float scale[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float top = tile_highest[r];
      top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 1));
      top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 2));
      const float before = highest[r];
      highest[r] = fmaxf(before, top);
      scale[r] = fast_exp2(before - highest[r]);
      sum[r] *= scale[r];
    }
#pragma unroll
    for (int n = 0; n < 8; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int r = e / 2;
        output[n][e] *= scale[r];
        // Exactly 0 where masked (M10), also in a row that has seen nothing yet.
        score[n][e] = score[n][e] == kMasked ? 0.0F : fast_exp2(score[n][e] - highest[r]);
        sum[r] += score[n][e];
      }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint32_t weight[4] = {pack<T>(score[2 * k][0], score[2 * k][1]),
                                  pack<T>(score[2 * k][2], score[2 * k][3]),
                                  pack<T>(score[2 * k + 1][0], score[2 * k + 1][1]),
                                  pack<T>(score[2 * k + 1][2], score[2 * k + 1][3])};
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        uint32_t b[4];
        load_matrix_transposed(b, s.value[side] + (k * 16 + lane % 16) * kLd + n * 16 + lane / 16 * 8);
        mma<T>(output[2 * n], weight, b[0], b[1]);
        mma<T>(output[2 * n + 1], weight, b[2], b[3]);
      }
    }
    t = next;
    side = 1 - side;
  }

#pragma unroll
  for (int r = 0; r < 2; ++r) {
    sum[r] += __shfl_xor_sync(0xFFFFFFFFU, sum[r], 1);
    sum[r] += __shfl_xor_sync(0xFFFFFFFFU, sum[r], 2);
    const int row = warp * 16 + quad + r * 8;
    if (row >= tile.token_count) continue;
    const float inverse = 1.0F / sum[r];
    T* to = a.qkv + static_cast<size_t>(tile.token_begin + row) * ld + head * kWidth + pair * 2;
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      *reinterpret_cast<typename Pair<T>::type*>(to + n * 8) =
          narrow<T>({output[n][r * 2] * inverse, output[n][r * 2 + 1] * inverse});
    }
  }
}

}  // namespace

template <class T>
void attend_fused(const AttentionArguments<T>& arguments, cudaStream_t stream) {
  constexpr int kBytes = sizeof(Shared<T>);
  check(cudaFuncSetAttribute(fused_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
        "shared memory of the fused attention");
  const dim3 grid(static_cast<unsigned>(arguments.tile_count), static_cast<unsigned>(arguments.heads));
  fused_kernel<T><<<grid, kThreads, kBytes, stream>>>(arguments);
  check(cudaGetLastError(), "fused attention");
}

template void attend_fused(const AttentionArguments<half>&, cudaStream_t);
template void attend_fused(const AttentionArguments<bfloat>&, cudaStream_t);

}  // namespace rex::engine::cuda
