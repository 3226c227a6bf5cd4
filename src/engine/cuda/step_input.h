// What a step of the CUDA engine takes in, on the host: how many rows and tiles are computed, where
// the arrays lie that travel to the device, tiles for attention and blocks for the scores.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/batch.h"
#include "engine/cuda/attention.h"
#include "engine/cuda/scores.h"
#include "engine/engine.h"

namespace rex::engine::cuda {

// Row counts that are computed: small steps first, so that few choices of products are needed and
// captured graphs are met again.
int32_t bucket_rows(int32_t tokens);

// Tile counts that are launched for so many rows: blocks without a tile end at once, so a few sizes
// are enough, and the graphs of all of them can be made at the start.
inline constexpr std::array<int32_t, 3> kRowsOfTile = {64, 32, 16};
int32_t tiles_for(int32_t rows, int32_t rows_of_tile);
int32_t bucket_tiles(int32_t rows, int32_t tiles);

// The largest of each that a batch within the limits can need.
int32_t most_rows(const BatchLimits& limits);
int32_t most_tiles(const BatchLimits& limits);
int32_t most_jobs(const BatchLimits& limits);

// Arrays that travel to the device in one copy, placed one behind the other.
class InputLayout {
 public:
  InputLayout(int32_t rows, int32_t tiles, int32_t passes, int32_t jobs) {
    const auto place = [&](size_t& offset, size_t bytes) {
      offset = bytes_;
      bytes_ += (bytes + 255) / 256 * 256;
    };
    const auto n = static_cast<size_t>(rows);
    place(ids, n * sizeof(int32_t));
    place(words, n * sizeof(uint32_t));
    place(bounds, n * sizeof(int2));
    place(ordinals, n * sizeof(int16_t));
    place(tiles_at, static_cast<size_t>(tiles) * sizeof(Tile));
    place(passes_at, static_cast<size_t>(passes) * sizeof(DevicePass));
    place(jobs_at, static_cast<size_t>(jobs) * sizeof(ScoreJob));
  }
  size_t ids = 0, words = 0, bounds = 0, ordinals = 0, tiles_at = 0, passes_at = 0, jobs_at = 0;
  [[nodiscard]] size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

// All tiles of a batch, then empty ones. `skip`: attention may leave out tiles that cannot see each
// other.
void write_tiles(const PackedBatch& batch, bool skip, std::span<Tile> tiles);

// Blocks of Z that hold a cell that decoding reads, for passes [first_pass, last_pass); at most
// `most`.
void list_score_jobs(const PackedBatch& batch, size_t first_pass, size_t last_pass, int32_t most,
                     std::vector<ScoreJob>& jobs);

}  // namespace rex::engine::cuda
