#include "engine/synthetic.h"

#include <cmath>
#include <random>

#include "core/check.h"

namespace rex::engine {

SyntheticBatch::SyntheticBatch(std::span<const int32_t> lengths, int32_t vocab_rows,
                               uint32_t seed) {
  constexpr uint32_t kTypes = 3, kTypeTokens = 4;
  std::mt19937 random(seed);
  const auto put = [&](uint32_t position, uint32_t group, uint32_t type) {
    ids_.push_back(static_cast<int32_t>(random() % static_cast<uint32_t>(vocab_rows)));
    words_.push_back(TokenWord::pack(position, group, type));
  };
  for (const int32_t length : lengths) {
    REX_CHECK(length >= 20, "a synthetic pass needs room for its prompt");
    PassInfo pass;
    pass.token_begin = tokens();
    pass.token_count = length;
    pass.type_begin = static_cast<int32_t>(types_.size());
    pass.type_count = kTypes;
    pass.logit_floor = INFINITY;
    put(0, 0, 0);
    put(1, 1, 0);
    for (uint32_t type = 1; type <= kTypes; ++type) {
      types_.push_back(tokens() - pass.token_begin);
      for (uint32_t i = 0; i < kTypeTokens; ++i) put(2 + i, 1, type);
    }
    uint32_t position = 2 + kTypeTokens;
    put(position++, 0, 0);  // the prompt's [SEP]
    pass.text_begin = tokens() - pass.token_begin;
    while (tokens() < pass.token_begin + length) put(position++, 0, 0);
    passes_.push_back(pass);
  }
}

}  // namespace rex::engine
