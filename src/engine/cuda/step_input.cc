#include "engine/cuda/step_input.h"

#include <algorithm>

#include "core/check.h"

namespace rex::engine::cuda {

static_assert(kMostTiles * kTileTokens == kMaxPassTokens);

int32_t bucket_rows(int32_t tokens) {
  for (const int32_t rows :
       {16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096}) {
    if (tokens <= rows) return rows;
  }
  return (tokens + 1023) / 1024 * 1024;
}

int32_t tiles_for(int32_t rows, int32_t rows_of_tile) {
  return rows / rows_of_tile + 1;
}
int32_t bucket_tiles(int32_t rows, int32_t tiles) {
  for (const int32_t rows_of_tile : kRowsOfTile) {
    if (tiles <= tiles_for(rows, rows_of_tile)) return tiles_for(rows, rows_of_tile);
  }
  return rows;  // passes of less than 16 tokens
}

int32_t most_rows(const BatchLimits& limits) {
  return bucket_rows(limits.tokens);
}
int32_t most_tiles(const BatchLimits& limits) {
  return most_rows(limits);  // bucket_tiles() gives no more
}

// All tile pairs of the longest passes that fit the budget.
int32_t most_jobs(const BatchLimits& limits) {
  constexpr int32_t kTilesOfPass = kMaxPassTokens / kScoreTile;
  return (limits.tokens / kMaxPassTokens + 1) * (kTilesOfPass + 1) * (kTilesOfPass + 1) +
         4 * limits.passes;
}

void write_tiles(const PackedBatch& batch, bool skip, std::span<Tile> tiles) {
  size_t count = 0;
  for (const PassInfo& pass : batch.passes) {
    const auto first = static_cast<int32_t>(count);
    const int32_t of_pass = (pass.token_count + kTileTokens - 1) / kTileTokens;
    for (int32_t begin = 0; begin < pass.token_count; begin += kTileTokens) {
      Tile tile{pass.token_begin + begin,
                std::min(kTileTokens, pass.token_count - begin),
                pass.token_begin,
                first,
                of_pass,
                1023,
                0,
                1023,
                0,
                1,
                0};
      int32_t previous = 0;
      for (int32_t t = tile.token_begin; t < tile.token_begin + tile.token_count; ++t) {
        const uint32_t word = batch.token_words[static_cast<size_t>(t)];
        const auto position = static_cast<int32_t>(TokenWord::position(word));
        const auto group = static_cast<int32_t>(TokenWord::group(word));
        if (t > tile.token_begin && position != previous + 1) tile.running = 0;
        previous = position;
        tile.position_low = std::min(tile.position_low, position);
        tile.position_high = std::max(tile.position_high, position);
        tile.group_low = std::min(tile.group_low, group);
        tile.group_high = std::max(tile.group_high, group);
        if ((word & TokenWord::kUnseen) != 0) tile.some_unseen = 1;
      }
      if (!skip) tile.group_low = 0;
      tiles[count++] = tile;
    }
  }
  std::fill(tiles.begin() + static_cast<ptrdiff_t>(count), tiles.end(), Tile{});
}

void list_score_jobs(const PackedBatch& batch, size_t first_pass, size_t last_pass, int32_t most,
                     std::vector<ScoreJob>& jobs) {
  jobs.clear();
  for (size_t p = first_pass; p < last_pass; ++p) {
    const PassInfo& pass = batch.passes[p];
    const auto types = batch.type_tokens.subspan(static_cast<size_t>(pass.type_begin),
                                                 static_cast<size_t>(pass.type_count));
    const int32_t tiles = (pass.token_count + kScoreTile - 1) / kScoreTile;
    std::vector<bool> has_type(static_cast<size_t>(tiles), false);
    for (const int32_t type : types) has_type[static_cast<size_t>(type / kScoreTile)] = true;
    const int32_t text_tile = pass.text_begin / kScoreTile;
    for (int32_t row = 0; row < tiles; ++row) {
      for (int32_t col = 0; col < tiles; ++col) {
        const bool row_text = row >= text_tile, col_text = col >= text_tile;
        const bool spans = row_text && col_text && row <= col;
        const bool heads = row_text && has_type[static_cast<size_t>(col)];
        const bool tails = has_type[static_cast<size_t>(row)] && col_text;
        if (spans || heads || tails) {
          jobs.push_back({static_cast<int32_t>(p), row * kScoreTile, col * kScoreTile});
        }
      }
    }
  }
  REX_CHECK(static_cast<int32_t>(jobs.size()) <= most, "the plan covers the longest passes");
}

}  // namespace rex::engine::cuda
