// Pre-tokenisation (T11, T12): a normalised text is cut at spaces, and each punctuation char is a
// word of its own. Symbols and numbers outside ASCII stay with their neighbours.
#pragma once

#include <cstddef>
#include <string_view>

namespace rex::text {

// Chars [begin, end) of the normalised text.
struct WordRange {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const WordRange&) const = default;
};

// The first word that starts at or after `from`; an empty range at the end when there is none.
// Walk a text with `for (auto word = next_word(t, 0); word.begin != word.end; word =
// next_word(t, word.end))`.
WordRange next_word(std::u32string_view normalized, size_t from);

}  // namespace rex::text
