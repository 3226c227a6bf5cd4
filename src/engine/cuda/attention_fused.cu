// score[i,j] = q_i·k_j + q_i·PK[u] + k_j·PQ[u], u = slot(pos_i − pos_j); softmax over visible j; ·V
//
// One block: 64 query rows of one head; four warps of 16 rows; a loop over tiles of 64 keys.
// Two ways through a tile pair:
//   running   both tiles hold running text: distances are d0 + i − j, 127 of them. The rows of PK
//             and PQ for those distances (the bands) come to shared memory; A = Q·PKbandᵀ and
//             B = K·PQbandᵀ leave the tensor cores already shifted to A[i, j] and B[j, i], so that
//             ldmatrix brings both back in the layout of the scores. When the key tile moves on by
//             64, half of each band stays: the halves of the buffer change places.
//   general   any positions (prompts restart them): the bands are walked in pieces of 96 distances
//             and every element looks its value up.
// Of a band each warp computes only the columns that its 16 rows can meet. The next tile's K and
// bands are on their way while softmax and O += P·V run.
//
// Shared memory 75 KB: three blocks a multiprocessor on sm_90. Rows of 64 values are swizzled in
// parts of 16 bytes, part p of row r at p xor (r mod 8): ldmatrix meets no bank conflict.
// docs/benchmarks.md has the measurements that led here.
#include "engine/cuda/attention.h"
#include "engine/cuda/mma.cuh"

namespace rex::engine::cuda {
namespace {

constexpr int kWidth = 64;  // head width
constexpr int kBand = 128;  // rows of a band buffer: two halves of 64 distances
constexpr int kHalf = kBand / 2;
constexpr int kPiece = 96;       // distances at a time on the general way
constexpr int kLdScores = 104;   // of A and B: 16-byte rows, no bank conflicts for ldmatrix
constexpr int kShift = 16;       // column of j = 0 in A and of i = 0 in B on the running way
constexpr int kColumns = 80;     // of a band that 16 rows can meet in running text
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * 32;
constexpr float kMasked = -1e30F;

template <class T>
struct Shared {
  T key[kTileTokens * kWidth];
  T value[kTileTokens * kWidth];
  T position_key[kBand * kWidth];
  T position_query[kBand * kWidth];
  T query_scores[kTileTokens * kLdScores];  // A; holds Q before the loop
  T key_scores[kTileTokens * kLdScores];    // B
  uint32_t words[2][kTileTokens];           // of the keys of this tile and the next
};

// Where part `part` (8 values) of row `row` lies.
__device__ __forceinline__ int swizzled(int row, int part) {
  return row * kWidth + ((part ^ (row & 7)) << 3);
}

// Rows first…first + count − 1 of a buffer from device memory, `source(row)` giving each address.
template <class T, class Source>
__device__ __forceinline__ void load_rows(T* buffer, int first, int count, Source source) {
#pragma unroll 4
  for (int i = threadIdx.x; i < count * 8; i += kThreads) {
    const int row = first + i / 8, part = i % 8;
    copy_async_16(buffer + swizzled(row, part), source(row) + part * 8);
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

// Both tiles inside groups, and no group in common: nothing is visible.
__device__ __forceinline__ bool apart(const Tile& a, const Tile& b) {
  return a.group_low > 0 && b.group_low > 0 && (a.group_high < b.group_low || b.group_high < a.group_low);
}

// Sixteen rows of a swizzled buffer as the left operand of mma, from row `first` (a multiple of 16).
template <class T>
__device__ __forceinline__ void load_left(uint32_t (&rows)[4][4], const T* buffer, int first) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < 4; ++k) load_matrix(rows[k], buffer + swizzled(first + lane % 16, k * 2 + lane / 16));
}

// sum[0], sum[1] += left · (rows row…row + 7 and row + 8…row + 15 of a buffer)ᵀ, where `row` is this
// lane's: lane % 8 + lane / 16 · 8 behind the first.
template <class T>
__device__ __forceinline__ void multiply_rows(float (&low)[4], float (&high)[4], const uint32_t (&left)[4][4],
                                              const T* buffer, int row) {
  const int part = threadIdx.x / 8 % 2;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    uint32_t b[4];
    load_matrix(b, buffer + swizzled(row, k * 2 + part));
    mma<T>(low, left[k], b[0], b[1]);
    mma<T>(high, left[k], b[2], b[3]);
  }
}

// Running way. The 80 columns of a band that begin at buffer row `first` (it wraps), times 16 rows
// of Q or K. Row r, column c goes to out[r][r + 79 − c] for queries, whose keys lie against the
// distances, and to out[r][r + 1 + c] for keys.
template <class T, bool kQueries>
__device__ __forceinline__ void shifted_band(const uint32_t (&left)[4][4], const T* band, int first, T* out) {
  const int lane = threadIdx.x % 32, quad = lane / 4, pair = lane % 4;
  constexpr int kStep = kQueries ? -1 : 1;
  T* to = out + quad * (kLdScores + 1) + (kQueries ? kColumns - 1 - pair * 2 : 1 + pair * 2);
#pragma unroll
  for (int n = 0; n < kColumns / 16; ++n) {
    float sum[2][4] = {};
    multiply_rows(sum[0], sum[1], left, band, (first + n * 16 + lane % 8 + lane / 16 * 8) & (kBand - 1));
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      T* at = to + kStep * (n * 16 + h * 8);
      const typename Pair<T>::type upper = narrow<T>({sum[h][0], sum[h][1]});
      const typename Pair<T>::type lower = narrow<T>({sum[h][2], sum[h][3]});
      at[0] = upper.x;
      at[kStep] = upper.y;
      at[8 * (kLdScores + 1)] = lower.x;
      at[8 * (kLdScores + 1) + kStep] = lower.y;
    }
  }
}

// General way: columns first…last (multiples of 16) of a band piece, where they stand.
template <class T>
__device__ __forceinline__ void plain_band(const uint32_t (&left)[4][4], const T* band, T* out, int first,
                                           int last) {
  const int lane = threadIdx.x % 32, quad = lane / 4, pair = lane % 4;
  for (int column = first; column < last; column += 16) {
    float sum[2][4] = {};
    multiply_rows(sum[0], sum[1], left, band, column + lane % 8 + lane / 16 * 8);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      T* to = out + quad * kLdScores + column + h * 8 + pair * 2;
      *reinterpret_cast<typename Pair<T>::type*>(to) = narrow<T>({sum[h][0], sum[h][1]});
      *reinterpret_cast<typename Pair<T>::type*>(to + 8 * kLdScores) = narrow<T>({sum[h][2], sum[h][3]});
    }
  }
}

// score += A + B from their shifted places.
template <class T>
__device__ __forceinline__ void add_shifted(float (&score)[8][4], const Shared<T>& s) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const T* a = s.query_scores + (warp * 16 + lane % 16) * kLdScores + kShift + lane / 16 * 8;
  const T* b = s.key_scores + (lane / 16 * 8 + lane % 8) * kLdScores + kShift + warp * 16 + lane / 8 % 2 * 8;
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    uint32_t from_a[4], from_b[4];
    load_matrix(from_a, a + n * 16);
    load_matrix_transposed(from_b, b + n * 16 * kLdScores);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float2 x = unpack<T>(from_a[e]), y = unpack<T>(from_b[e]);
      float* to = score[2 * n + e / 2] + e % 2 * 2;
      to[0] += x.x + y.x;
      to[1] += x.y + y.y;
    }
  }
}

template <class T>
__global__ __launch_bounds__(kThreads, 3) void fused_kernel(AttentionArguments<T> a) {
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

  // The first key tile from `t` on that is visible at all. A tile sees at least itself.
  const auto next_visible = [&](int t) {
    while (t < tile.pass_tiles && apart(tile, a.tiles[tile.pass_tile + t])) ++t;
    return t;
  };
  const auto load_tokens = [&](T* buffer, const Tile& tokens, int part) {  // part: 0 Q, 1 K, 2 V
    const T* from = qkv + part * a.hidden + static_cast<size_t>(tokens.token_begin) * ld;
    const int last = tokens.token_count - 1;  // repeated: finite values that nobody reads
    load_rows(buffer, 0, kTileTokens, [&](int row) { return from + static_cast<size_t>(min(row, last)) * ld; });
  };
  // Rows first…first + count − 1 of both bands; row r is distance `base` + r.
  const auto load_bands = [&](int first, int count, int base) {
    const auto place = [&](int row) {
      const int distance = max(-511, min(base + row, 511));
      return static_cast<size_t>(__ldg(a.slot_table + distance + 511)) * a.hidden;
    };
    load_rows(s.position_key, first, count, [&](int row) { return position_key + place(row); });
    load_rows(s.position_query, first, count, [&](int row) { return position_query + place(row); });
  };
  const auto running = [&](const Tile& keys) { return tile.running && keys.running; };
  int half = 0;          // 64 when the halves of the band buffers have changed places
  int band_base = 1024;  // distance of the bands' first row on the running way; 1024: none is loaded
  // Starts the copies of a key tile's K, words and, on the running way, bands.
  const auto load_tile = [&](const Tile& keys, int side) {
    load_tokens(s.key, keys, 1);
    if (threadIdx.x < kTileTokens) {
      s.words[side][threadIdx.x] = a.words[keys.token_begin + min(static_cast<int>(threadIdx.x), keys.token_count - 1)];
    }
    if (running(keys)) {
      const int base = tile.position_low - keys.position_low - kHalf;  // row r: i − j = r − 64
      if (base == band_base - kHalf) {
        half ^= kHalf;  // the lower half becomes the upper; 64 new rows
        load_bands(half, kHalf, base - half);
      } else {
        half = 0;
        load_bands(0, kBand, base);
      }
      band_base = base;
    } else {
      band_base = 1024;
    }
    copy_async_commit();
  };

  load_tokens(s.query_scores, tile, 0);
  copy_async_commit();
  copy_async_wait<0>();
  __syncthreads();
  uint32_t query[4][4];
  load_left(query, s.query_scores, warp * 16);
  int t = next_visible(0), side = 0;
  load_tile(a.tiles[tile.pass_tile + t], side);
  const int last_row = tile.token_count - 1;
  const uint32_t* row_words = a.words + tile.token_begin;
  const uint32_t own[2] = {row_words[min(warp * 16 + quad, last_row)],
                           row_words[min(warp * 16 + quad + 8, last_row)]};
  const bool row_masked[2] = {(own[0] >> 10 & 1023U) != 0, (own[1] >> 10 & 1023U) != 0};
  const bool some_masked = __any_sync(0xFFFFFFFFU, row_masked[0] || row_masked[1]);

  float output[8][4] = {};
  float highest[2] = {kMasked, kMasked}, sum[2] = {0.0F, 0.0F};

  while (t < tile.pass_tiles) {
    const Tile keys = a.tiles[tile.pass_tile + t];
    copy_async_wait<0>();
    __syncthreads();  // K and bands have come, and all warps have left the tile before
    load_tokens(s.value, keys, 2);
    copy_async_commit();

    float score[8][4] = {};
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      multiply_rows(score[2 * n], score[2 * n + 1], query, s.key, n * 16 + lane % 8 + lane / 16 * 8);
    }
    uint32_t key[4][4];
    load_left(key, s.key, warp * 16);

    const bool run = running(keys);
    if (run) {
      // Row r of a band is distance i − j = r − 64. Queries 16w…16w + 15 meet r from 16w + 1 on,
      // keys 16w…16w + 15 from 49 − 16w on.
      shifted_band<T, true>(query, s.position_key, half + warp * 16 + 1, s.query_scores + warp * 16 * kLdScores);
      shifted_band<T, false>(key, s.position_query, half + 49 - warp * 16, s.key_scores + warp * 16 * kLdScores);
      __syncthreads();
    } else {
      const Range warp_rows = position_range(row_words[min(warp * 16 + lane % 16, last_row)]);
      const Range key_rows = position_range(s.words[side][warp * 16 + lane % 16]);
      const int lowest = tile.position_low - keys.position_high;
      const int highest_distance = tile.position_high - keys.position_low;
      for (int base = lowest; base <= highest_distance; base += kPiece) {
        const int wanted = min(kPiece, (highest_distance - base + 16) / 16 * 16);
        __syncthreads();  // the piece before has been read
        load_bands(0, wanted, base);
        copy_async_commit();
        copy_async_wait<0>();
        __syncthreads();
        // Columns that this warp's rows, and its sixteen keys, can meet.
        const auto columns = [&](int low, int high) {
          return Range{max(0, low - base) / 16 * 16, min(wanted, (high - base + 16) / 16 * 16)};
        };
        const Range mine = columns(warp_rows.low - keys.position_high, warp_rows.high - keys.position_low);
        plain_band(query, s.position_key, s.query_scores + warp * 16 * kLdScores, mine.low, mine.high);
        const Range theirs = columns(tile.position_low - key_rows.high, tile.position_high - key_rows.low);
        plain_band(key, s.position_query, s.key_scores + warp * 16 * kLdScores, theirs.low, theirs.high);
        __syncthreads();
        // Rows of A and B, so placed that they can be indexed by distance.
        const T* query_scores = s.query_scores + (warp * 16 + quad) * kLdScores - base;
        const T* key_scores = s.key_scores - base;
#pragma unroll
        for (int n = 0; n < 8; ++n) {
          const uint2 words = *reinterpret_cast<const uint2*>(&s.words[side][n * 8 + pair * 2]);
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const int distance = position_of(own[e / 2]) - position_of(e % 2 == 0 ? words.x : words.y);
            if (distance >= base && distance < base + wanted) {
              score[n][e] += to_float(query_scores[e / 2 * 8 * kLdScores + distance]) +
                             to_float(key_scores[(n * 8 + pair * 2 + e % 2) * kLdScores + distance]);
            }
          }
        }
      }
      __syncthreads();
    }
    // K and the bands are free now.
    const int next = next_visible(t + 1);
    if (next < tile.pass_tiles) load_tile(a.tiles[tile.pass_tile + next], 1 - side);
    else copy_async_commit();
    if (run) add_shifted(score, s);

    if (some_masked || keys.token_count < kTileTokens) {
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        const uint2 words = *reinterpret_cast<const uint2*>(&s.words[side][n * 8 + pair * 2]);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int j = n * 8 + pair * 2 + e % 2, r = e / 2;
          const bool seen = j < keys.token_count &&
                            (!row_masked[r] || visible(own[r], e % 2 == 0 ? words.x : words.y));
          if (!seen) score[n][e] = kMasked;
        }
      }
    }
    float scale[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float top = kMasked;
#pragma unroll
      for (int n = 0; n < 8; ++n) top = fmaxf(top, fmaxf(score[n][2 * r], score[n][2 * r + 1]));
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
    for (int n = 0; n < 8; ++n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        score[n][e] = fast_exp2(score[n][e] - base[e / 2]);
        sum[e / 2] += score[n][e];
      }
    }
    copy_async_wait<1>();
    __syncthreads();  // V has come
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint32_t weight[4] = {pack<T>(score[2 * k][0], score[2 * k][1]),
                                  pack<T>(score[2 * k][2], score[2 * k][3]),
                                  pack<T>(score[2 * k + 1][0], score[2 * k + 1][1]),
                                  pack<T>(score[2 * k + 1][2], score[2 * k + 1][3])};
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        uint32_t b[4];
        load_matrix_transposed(b, s.value + swizzled(k * 16 + lane % 16, n * 2 + lane / 16));
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
