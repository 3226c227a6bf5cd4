// sparse_attention: punctuation — Chinese punctuation in texts gets attention weight 0, as the
// published articles describe. Lossy and off by default; docs/gpu.md has what it does to scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/tokenizer.h"

namespace rex::pipeline {

// Which tokens of a text no token attends to. Immutable; the default marks nothing.
class UnseenTokens {
 public:
  UnseenTokens() = default;
  // Punctuation marks of the vocabulary, in windows of at least `from_tokens` tokens.
  static UnseenTokens punctuation(const text::Tokenizer& tokenizer, int32_t from_tokens);

  // Sets TokenWord::kUnseen where it applies. `ids` and `words`: the text region of a pass, whose
  // last token is [SEP] and stays visible.
  void mark(std::span<const int32_t> ids, std::span<uint32_t> words) const;

 private:
  std::vector<bool> by_id_;  // empty: nothing is marked
  int32_t from_tokens_ = 0;
};

}  // namespace rex::pipeline
