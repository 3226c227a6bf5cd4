// Which unit the offsets of a Label Studio file count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/utf8.h"

namespace rex::eval::formats {

// A text with its length in UTF-16 code units before each char.
class Utf16Text {
 public:
  explicit Utf16Text(const text::CharText& text);

  // Char index of a code unit; none in the middle of a char or outside the text.
  [[nodiscard]] std::optional<int32_t> char_of(int64_t unit) const;

 private:
  std::vector<int64_t> unit_of_char_;  // size() + 1 entries
};

using CharRange = std::pair<int32_t, int32_t>;

// What a region may mean: chars [first, second) that are not empty; none: it means no part.
struct RegionReadings {
  std::optional<CharRange> chars;
  std::optional<CharRange> utf16;

  // `words` is the region's own text; empty: it has none, and every range in the text fits.
  RegionReadings(const text::CharText& text, const Utf16Text& units, int64_t start, int64_t end,
                 const std::string& words);

  // +1: UTF-16 alone fits, -1: chars alone fit.
  [[nodiscard]] int vote() const { return (utf16 ? 1 : 0) - (chars ? 1 : 0); }
  [[nodiscard]] std::optional<CharRange> choose(bool prefer_utf16) const {
    return (prefer_utf16 && utf16) || !chars ? utf16 : chars;
  }
};

}  // namespace rex::eval::formats
