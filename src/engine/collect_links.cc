#include "engine/collect_links.h"

#include "core/check.h"

namespace rex::engine {

Result<void> check_batch(const PackedBatch& batch, const BatchLimits& limits) {
  const auto tokens = static_cast<int64_t>(batch.token_ids.size());
  if (tokens > limits.tokens || static_cast<int64_t>(batch.passes.size()) > limits.passes) {
    return fail(ErrorCode::kWorkTooLarge,
                std::to_string(tokens) + " tokens in " + std::to_string(batch.passes.size()) +
                    " passes; the engine was planned for " + std::to_string(limits.tokens) +
                    " tokens in " + std::to_string(limits.passes) + " passes");
  }
  REX_CHECK(batch.token_words.size() == batch.token_ids.size(), "one word for each token");
  int64_t next = 0;
  for (const PassInfo& pass : batch.passes) {
    REX_CHECK(pass.token_begin == next, "passes lie end to end");
    REX_CHECK(pass.token_count >= 1 && pass.token_count <= kMaxPassTokens,
              "P3: at most 512 tokens");
    REX_CHECK(pass.text_begin >= 0 && pass.text_begin < pass.token_count,
              "text region inside the pass");
    REX_CHECK(pass.type_begin >= 0 && pass.type_count >= 0 &&
                  static_cast<size_t>(pass.type_begin) + static_cast<size_t>(pass.type_count) <=
                      batch.type_tokens.size(),
              "type tokens inside the batch");
    for (int32_t k = 0; k < pass.type_count; ++k) {
      const int32_t type = batch.type_tokens[static_cast<size_t>(pass.type_begin + k)];
      REX_CHECK(type >= 0 && type < pass.token_count, "type token inside the pass");
    }
    next += pass.token_count;
  }
  REX_CHECK(next == tokens, "passes cover the batch");
  return {};
}

}  // namespace rex::engine
