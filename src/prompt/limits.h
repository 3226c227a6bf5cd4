// How many tokens each part of a pass may take (P3, P9–P11). The original's numbers belong to
// passes of 512 tokens; shorter passes scale them so that at least half is left for the text.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rex::prompt {

inline constexpr int32_t kMinPassTokens = 16;
inline constexpr int32_t kMaxPassTokens = 512;  // P3

struct PromptLimits {
  int32_t pass = kMaxPassTokens;  // [CLS] hint [SEP] text [SEP]
  int32_t hint = 256;             // [CLS] hint [SEP] (P11)
  // A label with its [TYPE], or a prefix string with its [PREFIX] (P9, P10). A label within it
  // always fits into a hint of its own: [CLS] [PREFIX] label [SEP].
  int32_t item = 125;
};

// Requires kMinPassTokens <= pass_tokens <= kMaxPassTokens.
constexpr PromptLimits limits_for(int32_t pass_tokens) {
  const int32_t hint = std::min(256, pass_tokens / 2);
  return {pass_tokens, hint, std::min(125, hint - 3)};
}

}  // namespace rex::prompt
