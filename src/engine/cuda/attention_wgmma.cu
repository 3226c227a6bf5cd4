// The fused attention of attention_fused.cu for sm_90a: the same two ways through a tile pair, the
// same bands in shared memory, with warp-group products that read K, V and the bands where they lie.
//
// One block: 64 query rows of one head, two groups of four warps. For each tile of 64 keys
//   first   group 0 makes A = Q·PKbandᵀ, group 1 B = K·PQbandᵀ, and each Q·Kᵀ of its own 32 keys.
//           A and B go to shared memory: shifted on the running way, as they are on the general one.
//   then    each group adds A and B to its scores, and does softmax and O += P·V over its 32 keys, with
//           its own maximum and sum; the two are put together at the end.
// While a group's second half runs, the next tile's K, V and bands are on their way.
//
// Shared memory 91 KB and 128 registers: two blocks, sixteen warps, a multiprocessor.
// docs/benchmarks.md has the measurements that led here.
#include "engine/cuda/attention_tile.cuh"
#include "engine/cuda/wgmma.cuh"

namespace rex::engine::cuda {
namespace {

constexpr int kLd = kBand + 8;  // of A and B: 16-byte rows, no bank conflicts for ldmatrix
constexpr int kThreads = 256;
// Unused in code for other architectures, where the kernel is empty.
[[maybe_unused]] constexpr int kPiece = 32;      // columns of a product
[[maybe_unused]] constexpr int kGroupKeys = 32;  // keys of a warp group

template <class T>
struct Shared {
  T key[kTileTokens * kWidth];
  T value[2][kTileTokens * kWidth];
  T position_key[kBand * kWidth];
  T position_query[kBand * kWidth];
  T a[kTileTokens * kLd];  // holds Q before the loop; with b, the second group's results after it
  T b[kTileTokens * kLd];
  uint32_t words[2][kTileTokens];  // of the keys of this tile and the next
  Tile tiles[kMostTiles];
};
struct Results {  // of the second group
  float output[kTileTokens][kWidth + 4];
  float highest[kTileTokens], sum[kTileTokens];
};

#if REX_WGMMA
// This lane's part of sixteen rows and 32 columns of products.
struct Piece {
  float v[4][4];
};

// Columns 32·piece… of a band's products to shared memory. Running way: column r is distance r − 64;
// A[i, r] is wanted at j = i + 64 − r, B[j, r] at i = j + r − 64, and a warp's sixteen rows can meet
// ten groups of eight. General way: where they stand.
template <class T, bool kQueries>
__device__ __forceinline__ void store_piece(const Piece& piece, int index, bool run, T* out) {
  const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, quad = lane / 4, pair = lane % 4;
  const int row = warp * 16 + quad;
  if (run) {
    constexpr int kStep = kQueries ? -1 : 1;
    T* to = out + row * kLd + kShift + (kQueries ? row + kHalf : row - kHalf) + kStep * (index * kPiece + pair * 2);
    const int first = kQueries ? warp * 2 : 6 - warp * 2;  // of the ten groups
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      if (const int group = index * 4 + n; group < first || group > first + 9) continue;
      T* at = to + kStep * n * 8;
      const typename Pair<T>::type upper = narrow<T>({piece.v[n][0], piece.v[n][1]});
      const typename Pair<T>::type lower = narrow<T>({piece.v[n][2], piece.v[n][3]});
      at[0] = upper.x;
      at[kStep] = upper.y;
      at[8 * (kLd + 1)] = lower.x;
      at[8 * (kLd + 1) + kStep] = lower.y;
    }
  } else {
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      T* at = out + row * kLd + index * kPiece + n * 8 + pair * 2;
      *reinterpret_cast<typename Pair<T>::type*>(at) = narrow<T>({piece.v[n][0], piece.v[n][1]});
      *reinterpret_cast<typename Pair<T>::type*>(at + 8 * kLd) = narrow<T>({piece.v[n][2], piece.v[n][3]});
    }
  }
}

// score = Q·Kᵀ over this group's keys; left · bandᵀ, stored piece by piece, the next product running
// beside each store. `half` is the buffer row of the band's first.
template <class T, bool kQueries, class Left>
__device__ __forceinline__ void products(Piece& score, const uint32_t (&query)[4][4], uint64_t keys, const Left& left,
                                         const T* band, int half, bool run, T* out) {
  const auto rows = [&](int index) {
    return operand(shared_address(band) + static_cast<uint32_t>(((index * kPiece) ^ half) * kRowBytes));
  };
  Piece piece[2];
  wgmma_begin();
  multiply_rows<T>(score.v, query, keys);
  multiply_rows<T>(piece[0].v, left, rows(0));
  wgmma_commit();
#pragma unroll
  for (int i = 0; i < kBand / kPiece; ++i) {
    if (i + 1 < kBand / kPiece) {
      wgmma_begin();
      multiply_rows<T>(piece[(i + 1) % 2].v, left, rows(i + 1));
      wgmma_commit();
      wgmma_wait<1>();
    } else {
      wgmma_wait<0>();
    }
    if (i == 0) settle(score.v);
    settle(piece[i % 2].v);
    store_piece<T, kQueries>(piece[i % 2], i, run, out);
  }
}

// General way: score[i, j] += A[i, distance] + B[j, distance] for the distances of a piece of the
// band, which begins at `base`.
template <class T>
__device__ __forceinline__ void gather(float (&score)[4][4], const Shared<T>& s, const uint32_t (&own)[2],
                                       const uint32_t* words, int first_key, int base) {
  const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, quad = lane / 4, pair = lane % 4;
  const T* a = s.a + (warp * 16 + quad) * kLd;
  const T* b = s.b + (first_key + pair * 2) * kLd;
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const uint2 key = *reinterpret_cast<const uint2*>(words + first_key + n * 8 + pair * 2);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int column = position_of(own[e / 2]) - position_of(e % 2 == 0 ? key.x : key.y) - base;
      if (static_cast<unsigned>(column) < static_cast<unsigned>(kBand)) {
        score[n][e] += to_float(a[e / 2 * 8 * kLd + column]) + to_float(b[(n * 8 + e % 2) * kLd + column]);
      }
    }
  }
}
#endif

template <class T>
__global__ __launch_bounds__(kThreads, 2) void wgmma_kernel(AttentionArguments<T> a) {
#if REX_WGMMA
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared<T>& s = *reinterpret_cast<Shared<T>*>(memory);
  const Tile tile = a.tiles[blockIdx.x];
  if (tile.token_count == 0) return;  // padding of a captured graph
  const int head = blockIdx.y, lane = threadIdx.x % 32, quad = lane / 4, pair = lane % 4;
  const int group = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x / 128), 0), warp = threadIdx.x / 32 % 4;
  const int first_key = group * kGroupKeys;
  TileLoader<T, kThreads> loader(a, tile, head, s.position_key, s.position_query);
  {
    constexpr int kWords = sizeof(Tile) / sizeof(int32_t);
    const auto* from = reinterpret_cast<const int32_t*>(a.tiles + tile.pass_tile);
    for (int i = threadIdx.x; i < tile.pass_tiles * kWords; i += kThreads) {
      reinterpret_cast<int32_t*>(s.tiles)[i] = from[i];
    }
  }

  __syncthreads();  // the tiles
  // The first key tile from `t` on that is visible at all. A tile sees at least itself.
  const auto next_visible = [&](int t) {
    while (t < tile.pass_tiles && apart(tile, s.tiles[t])) ++t;
    return t;
  };
  // Everything of the first tile starts at once, as soon as it is there.
  int t = next_visible(0), side = 0;
  {
    const Tile& keys = s.tiles[t];
    loader.load_surroundings(keys, s.words[side]);
    wait_for_previous();
    loader.load_tokens(s.a, tile, 0);
    loader.load_tokens(s.key, keys, 1);
    loader.load_tokens(s.value[side], keys, 2);
    copy_async_commit();
  }
  const QueryRows own(a.words + tile.token_begin, warp * 16 + quad, tile.token_count - 1);

  copy_async_wait<0>();
  __syncthreads();
  uint32_t query[4][4];
  load_left(query, s.a, warp * 16);

  float output[8][4] = {};
  Softmax softmax;

  while (t < tile.pass_tiles) {
    const Tile& keys = s.tiles[t];
    copy_async_wait<0>();
    publish_to_wgmma();
    __syncthreads();  // the tile has come, and all warps have left the one before

    const bool run = loader.running(keys);
    const auto multiply_all = [&](Piece& scores) {
      const uint64_t own_keys = operand(shared_address(s.key + first_key * kWidth));
      if (group == 0) products<T, true>(scores, query, own_keys, query, s.position_key, loader.half(), run, s.a);
      else products<T, false>(scores, query, own_keys, operand(shared_address(s.key)), s.position_query, loader.half(), run, s.b);
    };
    Piece score;
    multiply_all(score);
    __syncthreads();  // A and B are there
    if (run) {
      const T* b = s.b + (first_key + lane / 16 * 8 + lane % 8) * kLd + kShift + warp * 16 + lane / 8 % 2 * 8;
      add_shifted<T>(score.v,
                     shared_address(s.a + (warp * 16 + lane % 16) * kLd + kShift + first_key + lane / 16 * 8),
                     shared_address(b), kLd * sizeof(T));
    } else {
      const int lowest = tile.position_low - keys.position_high;
      const int end = tile.position_high - keys.position_low + 1;
      gather(score.v, s, own.words, s.words[side], first_key, lowest);
      for (int base = lowest + kBand; base < end; base += kBand) {  // bands wider than the buffer
        __syncthreads();  // the piece before has been read
        constexpr int kRows = TileLoader<T, kThreads>::kRows;
        loader.load_bands(0, min(kBand, (end - base + kRows - 1) / kRows * kRows), base);
        copy_async_commit();
        copy_async_wait<0>();
        publish_to_wgmma();
        __syncthreads();
        Piece same;
        multiply_all(same);
        __syncthreads();
        gather(score.v, s, own.words, s.words[side], first_key, base);
      }
    }
    // K and the bands are free now.
    const int next = next_visible(t + 1);
    if (next < tile.pass_tiles) {
      const Tile& next_keys = s.tiles[next];
      loader.load_tokens(s.key, next_keys, 1);
      loader.load_surroundings(next_keys, s.words[1 - side]);
      loader.load_tokens(s.value[1 - side], next_keys, 2);
    }
    copy_async_commit();

    hide_unseen(score.v, own, keys, s.words[side], first_key);
    softmax.step(score.v, output);
    uint32_t weights[2][4];
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      weights[n / 2][n % 2 * 2] = pack<T>(score.v[n][0], score.v[n][1]);
      weights[n / 2][n % 2 * 2 + 1] = pack<T>(score.v[n][2], score.v[n][3]);
    }
    const uint64_t values = operand(shared_address(s.value[side] + first_key * kWidth));
    settle(output);
    wgmma_begin();
#pragma unroll
    for (int k = 0; k < kGroupKeys / 16; ++k) multiply_values(output, weights[k], values + k * kNextRows, T{});
    wgmma_commit();
    wgmma_wait<0>();
    settle(output);
    t = next;
    side = 1 - side;
  }

  // The two groups' halves: O = Σ O_g 2^(m_g − m) / Σ s_g 2^(m_g − m), m the greater maximum.
  softmax.close();
  static_assert(sizeof(Results) <= sizeof(s.a) + sizeof(s.b));
  Results& second = *reinterpret_cast<Results*>(s.a);
  __syncthreads();
  if (group == 1) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int row = warp * 16 + quad + r * 8;
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        *reinterpret_cast<float2*>(&second.output[row][n * 8 + pair * 2]) =
            make_float2(output[n][r * 2], output[n][r * 2 + 1]);
      }
      second.highest[row] = softmax.highest[r];  // four lanes write the same
      second.sum[row] = softmax.sum[r];
    }
  }
  __syncthreads();
  if (group == 1) return;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = warp * 16 + quad + r * 8;
    if (row >= tile.token_count) continue;
    const float top = fmaxf(softmax.highest[r], second.highest[row]);
    float mine = fast_exp2(softmax.highest[r] - top), other = fast_exp2(second.highest[row] - top);
    const float inverse = 1.0F / (softmax.sum[r] * mine + second.sum[row] * other);
    mine *= inverse;
    other *= inverse;
    T* to = a.qkv + static_cast<size_t>(tile.token_begin + row) * 3 * a.hidden + head * kWidth + pair * 2;
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      const float2 theirs = *reinterpret_cast<const float2*>(&second.output[row][n * 8 + pair * 2]);
      *reinterpret_cast<typename Pair<T>::type*>(to + n * 8) =
          narrow<T>({output[n][r * 2] * mine + theirs.x * other, output[n][r * 2 + 1] * mine + theirs.y * other});
    }
  }
#endif
}

}  // namespace

// Whether this program holds the kernel for this device: compiled for 90a, and the device is one.
bool wgmma_fits() {
  return REX_HAS_SM90A != 0 && device_attribute(cudaDevAttrComputeCapabilityMajor) == 9;
}

template <class T>
void attend_wgmma(const AttentionArguments<T>& arguments, cudaStream_t stream) {
  constexpr int kBytes = sizeof(Shared<T>);
  check(cudaFuncSetAttribute(wgmma_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
        "shared memory of the fused attention");
  const dim3 grid(static_cast<unsigned>(arguments.tile_count), static_cast<unsigned>(arguments.heads));
  launch(wgmma_kernel<T>, grid, kThreads, kBytes, stream, arguments);
}

template void attend_wgmma(const AttentionArguments<half>&, cudaStream_t);
template void attend_wgmma(const AttentionArguments<bfloat>&, cudaStream_t);

}  // namespace rex::engine::cuda
