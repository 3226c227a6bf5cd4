// Disentangled attention on the GPU (M6–M10), from position ids and token words; nothing of size
// n×n reaches device memory. The kernels:
//   fused   FP16 and BF16, head width 64: tensor cores, bands of the position tables in shared
//           memory, online softmax (attention_fused.cu; attention_wgmma.cu for sm_90a)
//   plain   every type and head width: one warp a query row; debug mode and small models
//           (attention_plain.cu)
#pragma once

#include <cstdint>

#include "engine/cuda/device.h"

namespace rex::engine::cuda {

inline constexpr int kTileTokens = 64;  // query rows and key rows of a tile
inline constexpr int kMostTiles = 8;    // of a pass: 512 tokens (P3)

// One tile of a pass. Tiles start at multiples of 64 tokens of their pass.
struct Tile {
  int32_t token_begin;  // in the batch
  int32_t token_count;  // 1…64
  int32_t pass_begin;   // first token of the pass in the batch
  int32_t pass_tile;    // index of the pass's first tile in the tile list
  int32_t pass_tiles;   // tiles of the pass
  int32_t position_low, position_high;
  int32_t group_low, group_high;  // group_low 0: some token is outside all groups
  int32_t running;                // 1: positions rise by one from token to token
  int32_t some_unseen;            // 1: some token carries TokenWord::kUnseen
};

template <class T>
struct AttentionArguments {
  T* qkv;  // [T, 3C]; the context replaces the queries, which only their own block reads
  const uint32_t* words;  // [T]
  const Tile* tiles;
  int32_t tile_count;
  const T* position_key;      // [slots, C] PK of this layer (M7)
  const T* position_query;    // [slots, C] PQ, scaled
  const int32_t* slot_table;  // slot of distance d at [d + 511] (M4, M8)
  int32_t slot_of_zero;       // slots are distance + this, from 0 to last_slot; −1: see the table
  int32_t last_slot;
  int32_t hidden;  // C
  int32_t heads;
};

// Queries and PQ carry the factor log2(e) / sqrt(3·D): the softmax uses exp2.
template <class T>
void attend(const AttentionArguments<T>& arguments, cudaStream_t stream);

}  // namespace rex::engine::cuda
