// WordPiece (T13–T15): one word becomes the longest known pieces from the left, or one [UNK].
// Immutable.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "text/piece_trie.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace rex::text {

inline constexpr size_t kMaxWordChars = 100;  // T13: longer words are unknown

class WordPiece {
 public:
  explicit WordPiece(const Vocabulary& vocabulary);

  // Appends the tokens of `word` (normalised, not empty). `origin` has an original index for each
  // of its chars; a token spans from its first to its last one (T17), [UNK] the whole word (T18).
  void append_tokens(std::u32string_view word, const int32_t* origin,
                     std::vector<Token>& tokens) const;

 private:
  PieceTrie beginnings_;
  PieceTrie continuations_;  // entries with ## in front, kept without it
  int32_t unk_;
};

}  // namespace rex::text
