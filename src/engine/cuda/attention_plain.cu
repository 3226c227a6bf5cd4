// The same attention for every element type and head width: one warp a query row, scores of the
// row in shared memory, all arithmetic in single precision. For debug mode (FP32) and for models
// whose heads are not 64 wide; correct rather than fast.
#include "engine/cuda/device.cuh"
#include "engine/cuda/attention.h"

namespace rex::engine::cuda {
namespace {

constexpr int kRows = 4;        // query rows, and warps, of a block
constexpr int kMaxTokens = 512;
constexpr int kMaxWidth = 128;

template <class T>
__global__ void plain_kernel(AttentionArguments<T> a, int width) {
  __shared__ float scores[kRows][kMaxTokens];
  __shared__ float query[kRows][kMaxWidth];
  const Tile tile = a.tiles[blockIdx.x];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.z * kRows + warp;
  if (row >= tile.token_count) return;  // whole warps leave; nothing below waits for other warps
  const int head = blockIdx.y, ld = 3 * a.hidden;
  const Tile last = a.tiles[tile.pass_tile + tile.pass_tiles - 1];
  const int tokens = last.token_begin + last.token_count - tile.pass_begin;
  const T* own = a.qkv + static_cast<size_t>(tile.token_begin + row) * ld + head * width;
  for (int c = lane; c < width; c += 32) query[warp][c] = to_float(own[c]);
  __syncwarp();

  const uint32_t word = a.words[tile.token_begin + row];
  float highest = -INFINITY;
  for (int j = lane; j < tokens; j += 32) {
    const uint32_t other = a.words[tile.pass_begin + j];
    float score = -INFINITY;
    if (visible(word, other) && (other & kUnseen) == 0) {
      const size_t slot = static_cast<size_t>(a.slot_table[position_of(word) - position_of(other) + 511]);
      const T* key = a.qkv + static_cast<size_t>(tile.pass_begin + j) * ld + a.hidden + head * width;
      const T* pk = a.position_key + slot * a.hidden + head * width;
      const T* pq = a.position_query + slot * a.hidden + head * width;
      float content = 0.0F, c2p = 0.0F, p2c = 0.0F;
      for (int c = 0; c < width; ++c) {
        const float k = to_float(key[c]);
        content += query[warp][c] * k;
        c2p += query[warp][c] * to_float(pk[c]);
        p2c += k * to_float(pq[c]);
      }
      score = content + (c2p + p2c);
    }
    scores[warp][j] = score;
    highest = fmaxf(highest, score);
  }
  highest = warp_max(highest);
  float sum = 0.0F;
  for (int j = lane; j < tokens; j += 32) {
    const float weight = exp2f(scores[warp][j] - highest);  // exp2(−inf) is 0 (M10)
    scores[warp][j] = weight;
    sum += weight;
  }
  sum = warp_sum(sum);
  __syncwarp();
  for (int c = lane; c < width; c += 32) {
    const T* value = a.qkv + static_cast<size_t>(tile.pass_begin) * ld + 2 * a.hidden + head * width + c;
    float context = 0.0F;
    for (int j = 0; j < tokens; ++j) context += scores[warp][j] * to_float(value[static_cast<size_t>(j) * ld]);
    a.qkv[static_cast<size_t>(tile.token_begin + row) * ld + head * width + c] =
        from_float<T>(context / sum);
  }
}

}  // namespace

template <class T>
void attend_fused(const AttentionArguments<T>& arguments, cudaStream_t stream);
template <class T>
bool fused_fits();
template <class T>
void attend_wgmma(const AttentionArguments<T>& arguments, cudaStream_t stream);
bool wgmma_fits();

template <class T>
void attend_plain(const AttentionArguments<T>& arguments, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(arguments.tile_count), static_cast<unsigned>(arguments.heads),
                  kTileTokens / kRows);
  plain_kernel<T><<<grid, kRows * 32, 0, stream>>>(arguments, arguments.hidden / arguments.heads);
  check(cudaGetLastError(), "plain attention");
}

template <class T>
void attend(const AttentionArguments<T>& arguments, cudaStream_t stream) {
  if constexpr (sizeof(T) == 2) {
    if (arguments.hidden / arguments.heads == 64) {
      if (wgmma_fits()) return attend_wgmma(arguments, stream);
      if (fused_fits<T>()) return attend_fused(arguments, stream);
    }
  }
  attend_plain(arguments, stream);
}

template void attend(const AttentionArguments<float>&, cudaStream_t);
template void attend(const AttentionArguments<half>&, cudaStream_t);
template void attend(const AttentionArguments<bfloat>&, cudaStream_t);

}  // namespace rex::engine::cuda
