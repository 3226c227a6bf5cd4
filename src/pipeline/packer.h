// Passes laid end to end until a batch is full (engine/batch.h). The arrays are allocated once, for
// the engine's limits, and reused.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "engine/batch.h"
#include "engine/engine.h"
#include "pipeline/unseen_tokens.h"
#include "prompt/pass.h"
#include "prompt/token_words.h"

namespace rex::pipeline {

// One thread.
class Packer {
 public:
  Packer(const text::SpecialIds& special, engine::BatchLimits limits, UnseenTokens unseen = {});

  [[nodiscard]] bool empty() const { return passes_.empty(); }
  [[nodiscard]] bool fits(const prompt::Pass& pass) const;

  // Requires fits(). Errors: FIELD_CONFLICT (TokenWords); the batch is then as before.
  Result<void> add(const prompt::Pass& pass);

  // Valid until the next add() or clear().
  [[nodiscard]] engine::PackedBatch batch() const { return {ids_, words_, passes_, type_tokens_}; }
  void clear();

 private:
  text::SpecialIds special_;
  engine::BatchLimits limits_;
  UnseenTokens unseen_;
  prompt::TokenWords token_words_;
  std::vector<int32_t> ids_;              // [T]
  std::vector<uint32_t> words_;           // [T]
  std::vector<engine::PassInfo> passes_;  // [B]
  std::vector<int32_t> type_tokens_;      // at most T
};

}  // namespace rex::pipeline
