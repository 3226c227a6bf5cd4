// Made-up passes of a given length, for benchmarks and warm-up: one prefix with three types of
// four tokens, then text; position ids as a real prompt has them (P19). Their floor is infinite, so
// no links come back: random weights would link half of all cells, which no trained model does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/batch.h"

namespace rex::engine {

class SyntheticBatch {
 public:
  // One pass for each length (20…512). Token ids are random below `vocab_rows`, fixed by `seed`.
  SyntheticBatch(std::span<const int32_t> lengths, int32_t vocab_rows, uint32_t seed);

  [[nodiscard]] PackedBatch view() const { return {ids_, words_, passes_, types_}; }
  [[nodiscard]] int32_t tokens() const { return static_cast<int32_t>(ids_.size()); }

 private:
  std::vector<int32_t> ids_, types_;
  std::vector<uint32_t> words_;
  std::vector<PassInfo> passes_;
};

}  // namespace rex::engine
