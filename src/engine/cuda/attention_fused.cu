// score[i,j] = q_i·k_j + q_i·PK[u] + k_j·PQ[u], u = slot(pos_i − pos_j); softmax over visible j; ·V
//
// One block: 64 query rows of one head; four warps of 16 rows; a loop over tiles of 64 keys.
// Two ways through a tile pair:
//   running   both tiles hold running text: distances are d0 + i − j, 127 of them. The rows of PK
//             and PQ for those distances (the bands) come to shared memory; A = Q·PKbandᵀ and
//             B = K·PQbandᵀ leave the tensor cores already shifted to A[i, j] and B[j, i], so that
//             ldmatrix brings both back in the layout of the scores. When the key tile moves on by
//             64, half of each band stays: the halves of the buffer change places.
//   general   any positions (prompts restart them): every element looks its value up in A, then
//             in B. Bands wider than 128 distances are walked in pieces.
// Of a band each warp computes only the columns that its 16 rows can meet. The next tile's K and
// bands are on their way while softmax and O += P·V run.
//
// Shared memory 75 KB: three blocks a multiprocessor on sm_90. Buffers begin at multiples of 128 bytes,
// so part p of a lane's row is at (address of part 0) xor 16p.
// docs/benchmarks.md has the measurements that led here. sm_90a has its own: attention_wgmma.cu.
#include "engine/cuda/attention_tile.cuh"

namespace rex::engine::cuda {
namespace {

constexpr int kLdScores = 104;   // of A and B: 16-byte rows, no bank conflicts for ldmatrix
constexpr int kLdPlain = kBand + 8;  // of A, then of B, on the general way
constexpr int kColumns = 80;     // of a band that 16 rows can meet in running text
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * 32;

template <class T>
struct Shared {
  T key[kTileTokens * kWidth];
  T value[kTileTokens * kWidth];
  T position_key[kBand * kWidth];
  T position_query[kBand * kWidth];
  // A and B side by side; on the general way first A, then B. Holds Q before the loop.
  T scores[2 * kTileTokens * kLdScores];
  uint32_t words[2][kTileTokens];           // of the keys of this tile and the next
};

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

// low, high += left · (eight rows, and the eight after them, of a buffer)ᵀ. `place` is this lane's:
// row lane % 8 + lane / 16 · 8 behind the first, part lane / 8 % 2.
template <class T>
__device__ __forceinline__ void multiply_rows(float (&low)[4], float (&high)[4], const uint32_t (&left)[4][4],
                                              const uint32_t (&places)[4], uint32_t offset) {
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    uint32_t b[4];
    load_matrix(b, places[k] + offset);
    mma<T>(low, left[k], b[0], b[1]);
    mma<T>(high, left[k], b[2], b[3]);
  }
}

__device__ __forceinline__ void parts_of(uint32_t place, uint32_t (&places)[4]) {
#pragma unroll
  for (int k = 0; k < 4; ++k) places[k] = place ^ static_cast<uint32_t>(k * 32);
}

// Running way. The 80 columns of a band that begin at buffer row `first` (it wraps), times 16 rows
// of Q or K. Row r, column c goes to out[r][r + 79 − c] for queries, whose keys lie against the
// distances, and to out[r][r + 1 + c] for keys.
template <class T, bool kQueries>
__device__ __forceinline__ void shifted_band(const uint32_t (&left)[4][4], const T* band, int first, T* out) {
  const int lane = threadIdx.x % 32, quad = lane / 4, pair = lane % 4;
  constexpr int kStep = kQueries ? -1 : 1;
  T* to = out + quad * (kLdScores + 1) + (kQueries ? kColumns - 1 - pair * 2 : 1 + pair * 2);
  const int row = first + lane % 8 + lane / 16 * 8;
  const auto within_row = static_cast<uint32_t>(((lane / 8 % 2) ^ (row & 7)) << 4);
#pragma unroll
  for (int n = 0; n < kColumns / 16; ++n) {
    float sum[2][4] = {};
    uint32_t places[4];
    parts_of(shared_address(band) + within_row + static_cast<uint32_t>(((row + n * 16) & (kBand - 1)) * kRowBytes),
             places);
    multiply_rows<T>(sum[0], sum[1], left, places, 0);
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
  uint32_t places[4];
  parts_of(place_of(band, lane % 8 + lane / 16 * 8, lane / 8 % 2), places);
  for (int column = first; column < last; column += 16) {
    float sum[2][4] = {};
    multiply_rows<T>(sum[0], sum[1], left, places, static_cast<uint32_t>(column * kRowBytes));
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      T* to = out + quad * kLdPlain + column + h * 8 + pair * 2;
      *reinterpret_cast<typename Pair<T>::type*>(to) = narrow<T>({sum[h][0], sum[h][1]});
      *reinterpret_cast<typename Pair<T>::type*>(to + 8 * kLdPlain) = narrow<T>({sum[h][2], sum[h][3]});
    }
  }
}

// General way. score[i, j] += A[i, distance] or, for kQueries false, B[j, distance]; `from` is so
// placed that it can be indexed by distance: this lane's first row of A, or its first key's of B.
template <class T, bool kQueries>
__device__ __forceinline__ void gather(float (&score)[8][4], const T* from, const uint32_t (&own)[2],
                                       const uint32_t* words, Range piece) {
  const int pair = threadIdx.x % 4;
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    const uint2 key = *reinterpret_cast<const uint2*>(words + n * 8 + pair * 2);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int distance = position_of(own[e / 2]) - position_of(e % 2 == 0 ? key.x : key.y);
      const int row = kQueries ? e / 2 * 8 : n * 8 + e % 2;
      if (distance >= piece.low && distance < piece.high) score[n][e] += to_float(from[row * kLdPlain + distance]);
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
  TileLoader<T, kThreads> loader(a, tile, head, s.position_key, s.position_query);

  // The first key tile from `t` on that is visible at all. A tile sees at least itself.
  const auto next_visible = [&](int t) {
    while (t < tile.pass_tiles && apart(tile, a.tiles[tile.pass_tile + t])) ++t;
    return t;
  };
  // Everything of the first tile starts at once, as soon as it is there.
  int t = next_visible(0), side = 0;
  const Tile first_keys = a.tiles[tile.pass_tile + t];
  loader.load_surroundings(first_keys, s.words[side]);
  wait_for_previous();
  loader.load_tokens(s.scores, tile, 0);
  loader.load_tokens(s.key, first_keys, 1);
  loader.load_tokens(s.value, first_keys, 2);
  copy_async_commit();
  const int last_row = tile.token_count - 1;
  const uint32_t* row_words = a.words + tile.token_begin;
  const QueryRows own(row_words, warp * 16 + quad, last_row);

  copy_async_wait<0>();
  __syncthreads();
  uint32_t query[4][4];
  load_left(query, s.scores, warp * 16);

  const Range warp_rows = position_range(row_words[min(warp * 16 + lane % 16, last_row)]);

  bool first = true;
  float output[8][4] = {};
  Softmax softmax;

  while (t < tile.pass_tiles) {
    const Tile keys = a.tiles[tile.pass_tile + t];
    copy_async_wait<0>();
    __syncthreads();  // K and bands have come, and all warps have left the tile before
    if (!first) loader.load_tokens(s.value, keys, 2);
    first = false;
    copy_async_commit();

    float score[8][4] = {};
    {
      uint32_t places[4];
      parts_of(place_of(s.key, lane % 8 + lane / 16 * 8, lane / 8 % 2), places);
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        multiply_rows<T>(score[2 * n], score[2 * n + 1], query, places, static_cast<uint32_t>(n * 16 * kRowBytes));
      }
    }
    uint32_t key[4][4];
    load_left(key, s.key, warp * 16);

    const bool run = loader.running(keys);
    if (run) {
      // Row r of a band is distance i − j = r − 64. Queries 16w…16w + 15 meet r from 16w + 1 on,
      // keys 16w…16w + 15 from 49 − 16w on.
      T* rows = s.scores + warp * 16 * kLdScores;
      shifted_band<T, true>(query, s.position_key, loader.half() + warp * 16 + 1, rows);
      shifted_band<T, false>(key, s.position_query, loader.half() + 49 - warp * 16, rows + kTileTokens * kLdScores);
      __syncthreads();
    } else {
      const Range key_rows = position_range(s.words[side][warp * 16 + lane % 16]);
      const int lowest = tile.position_low - keys.position_high;
      const int end = tile.position_high - keys.position_low + 1;
      const bool whole = end - lowest <= kBand;
      T* rows = s.scores + warp * 16 * kLdPlain;
      for (int base = lowest; base < end; base += kBand) {
        const int wanted = min(kBand, (end - base + 15) / 16 * 16);
        if (base > lowest) {
          __syncthreads();  // the piece before has been read
          loader.load_bands(0, wanted, base);
          copy_async_commit();
          copy_async_wait<0>();
          __syncthreads();
        }
        // Columns that this warp's rows, or its sixteen keys, can meet.
        const auto columns = [&](int low, int high) {
          return Range{max(0, low - base) / 16 * 16, min(wanted, (high - base + 16) / 16 * 16)};
        };
        const Range mine = columns(warp_rows.low - keys.position_high, warp_rows.high - keys.position_low);
        plain_band(query, s.position_key, rows, mine.low, mine.high);
        __syncwarp();
        const Range piece = whole ? Range{-kBand * 8, kBand * 8} : Range{base, base + wanted};
        gather<T, true>(score, rows + quad * kLdPlain - base, own.words, s.words[side], piece);
        __syncwarp();
        const Range theirs = columns(tile.position_low - key_rows.high, tile.position_high - key_rows.low);
        plain_band(key, s.position_query, rows, theirs.low, theirs.high);
        __syncthreads();
        gather<T, false>(score, s.scores + pair * 2 * kLdPlain - base, own.words, s.words[side], piece);
      }
    }
    // K and the bands are free now.
    const int next = next_visible(t + 1);
    if (next < tile.pass_tiles) {
      const Tile next_keys = a.tiles[tile.pass_tile + next];
      loader.load_tokens(s.key, next_keys, 1);
      loader.load_surroundings(next_keys, s.words[1 - side]);
    }
    copy_async_commit();
    if (run) {
      const T* b = s.scores + kTileTokens * kLdScores + (lane / 16 * 8 + lane % 8) * kLdScores + kShift + warp * 16 +
                   lane / 8 % 2 * 8;
      add_shifted<T>(score, shared_address(s.scores + (warp * 16 + lane % 16) * kLdScores + kShift + lane / 16 * 8),
                     shared_address(b), kLdScores * sizeof(T));
    }

    hide_unseen(score, own, keys, s.words[side], 0);
    softmax.step(score, output);
    copy_async_wait<1>();
    __syncthreads();  // V has come
    uint32_t values[4];
    parts_of(place_of(s.value, lane % 16, lane / 16), values);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint32_t weight[4] = {pack<T>(score[2 * k][0], score[2 * k][1]),
                                  pack<T>(score[2 * k][2], score[2 * k][3]),
                                  pack<T>(score[2 * k + 1][0], score[2 * k + 1][1]),
                                  pack<T>(score[2 * k + 1][2], score[2 * k + 1][3])};
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        uint32_t b[4];
        load_matrix_transposed(b, values[n] + static_cast<uint32_t>(k * 16 * kRowBytes));
        mma<T>(output[2 * n], weight, b[0], b[1]);
        mma<T>(output[2 * n + 1], weight, b[2], b[3]);
      }
    }
    t = next;
    side = 1 - side;
  }

  softmax.close();
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = warp * 16 + quad + r * 8;
    if (row >= tile.token_count) continue;
    const float inverse = 1.0F / softmax.sum[r];
    T* to = a.qkv + static_cast<size_t>(tile.token_begin + row) * 3 * a.hidden + head * kWidth + pair * 2;
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      *reinterpret_cast<typename Pair<T>::type*>(to + n * 8) =
          narrow<T>({output[n][r * 2] * inverse, output[n][r * 2 + 1] * inverse});
    }
  }
}

}  // namespace

// Whether this device lets a block have that much shared memory; cards of capability 7.5 do not.
template <class T>
bool fused_fits() {
  return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) >= static_cast<int>(sizeof(Shared<T>));
}

template <class T>
void attend_fused(const AttentionArguments<T>& arguments, cudaStream_t stream) {
  constexpr int kBytes = sizeof(Shared<T>);
  check(cudaFuncSetAttribute(fused_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
        "shared memory of the fused attention");
  const dim3 grid(static_cast<unsigned>(arguments.tile_count), static_cast<unsigned>(arguments.heads));
  launch(fused_kernel<T>, grid, kThreads, kBytes, stream, arguments);
}

template void attend_fused(const AttentionArguments<half>&, cudaStream_t);
template void attend_fused(const AttentionArguments<bfloat>&, cudaStream_t);
template bool fused_fits<half>();
template bool fused_fits<bfloat>();

}  // namespace rex::engine::cuda
