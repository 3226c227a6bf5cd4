// The nine added special tokens as strings in a raw text (T4, T5). Immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace rex::text {

class SpecialStrings {
 public:
  struct Match {
    size_t begin = 0;
    size_t end = 0;
    int32_t id = 0;
  };

  explicit SpecialStrings(const Vocabulary& vocabulary);

  // The leftmost match that starts at or after `from`, the longest one there.
  [[nodiscard]] std::optional<Match> find(std::u32string_view text, size_t from) const;

 private:
  struct Special {
    std::u32string text;
    int32_t id = 0;
  };
  std::vector<Special> longest_first_;
};

}  // namespace rex::text
