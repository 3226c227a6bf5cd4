// What an engine computes in one step: passes (prompt + text window, at most 512 tokens each)
// laid end to end without padding. Plain data; the packer owns it, engines only read it.
#pragma once

#include <cstdint>
#include <span>

namespace rex::engine {

// Everything that attention needs to know of a token, in one word (P18–P24):
//   position  the position id, which restarts inside the prompt (P19); 10 bits
//   group     0 for [CLS], [SEP] and text; n for the n-th prompt prefix; 10 bits
//   type      0 for the prefix part itself; n for the n-th type of the group; 10 bits
//   unseen    no query sees this token as a key, whatever the rule says (sparse_attention:
//             punctuation; lossy, off by default, GPU and reference engine only); 1 bit
struct TokenWord {
  static constexpr uint32_t kMax = 1023;  // of each field
  static constexpr uint32_t kUnseen = 1U << 30;

  static constexpr uint32_t pack(uint32_t position, uint32_t group, uint32_t type) {
    return position | group << 10 | type << 20;
  }
  static constexpr uint32_t position(uint32_t word) { return word & kMax; }
  static constexpr uint32_t group(uint32_t word) { return word >> 10 & kMax; }
  static constexpr uint32_t type(uint32_t word) { return word >> 20 & kMax; }

  // The isolation rule of P21–P24 without an n×n mask; symmetric, true on the diagonal.
  static constexpr bool visible(uint32_t a, uint32_t b) {
    const uint32_t group_a = group(a), group_b = group(b);
    if (group_a == 0 || group_b == 0) return true;
    if (group_a != group_b) return false;
    const uint32_t type_a = type(a), type_b = type(b);
    return type_a == 0 || type_b == 0 || type_a == type_b;
  }
};

// One pass inside a batch. Token indexes are relative to the pass.
struct PassInfo {
  int32_t token_begin = 0;   // first token in the batch arrays
  int32_t token_count = 0;   // n, 1…512
  int32_t text_begin = 0;    // first token of the text region; it ends with the pass (final [SEP])
  int32_t type_begin = 0;    // first entry in PackedBatch::type_tokens
  int32_t type_count = 0;    // [TYPE] tokens that decoding reads, in the order of the prompt
  float logit_floor = 0.0F;  // links with a logit strictly above it are returned (M24: 0)
  bool class_cells = false;  // also return the three cells of every type with token text_begin
};

// All arrays are host memory, owned by the caller and unchanged until finish() returns.
struct PackedBatch {
  std::span<const int32_t> token_ids;     // [T]
  std::span<const uint32_t> token_words;  // [T], TokenWord
  std::span<const PassInfo> passes;       // [B], token ranges consecutive from 0 to T
  std::span<const int32_t> type_tokens;   // pass-relative indexes of the [TYPE] tokens
};

}  // namespace rex::engine
