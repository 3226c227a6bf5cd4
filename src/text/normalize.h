// The normaliser (T6–T10): drops, spaces out, decomposes and lower-cases, in one pass over the
// original chars, and remembers where every resulting char came from (T17).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rex::text {

// Two arrays of one length. U+0020 is the only whitespace left; its origin means nothing.
struct NormalizedText {
  std::u32string chars;
  std::vector<int32_t> origin;  // index of the original char, never decreasing

  void push(char32_t c, int32_t from) {
    chars.push_back(c);
    origin.push_back(from);
  }
  void clear() {
    chars.clear();
    origin.clear();
  }
};

// Appends the normalised form of `piece`, whose first char has the index `first` in the original.
// At most three chars result from each. Requires Unicode scalar values.
void normalize(std::u32string_view piece, int32_t first, NormalizedText& out);

}  // namespace rex::text
