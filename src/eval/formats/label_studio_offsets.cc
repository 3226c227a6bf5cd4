#include "eval/formats/label_studio_offsets.h"

#include <algorithm>

namespace rex::eval::formats {

Utf16Text::Utf16Text(const text::CharText& text) {
  unit_of_char_.push_back(0);
  for (int32_t i = 0; i < text.size(); ++i) {
    const bool pair = text.byte_of(i + 1) - text.byte_of(i) == 4;  // above U+FFFF
    unit_of_char_.push_back(unit_of_char_.back() + (pair ? 2 : 1));
  }
}

std::optional<int32_t> Utf16Text::char_of(int64_t unit) const {
  const auto found = std::lower_bound(unit_of_char_.begin(), unit_of_char_.end(), unit);
  if (found == unit_of_char_.end() || *found != unit) return std::nullopt;
  return static_cast<int32_t>(found - unit_of_char_.begin());
}

RegionReadings::RegionReadings(const text::CharText& text, const Utf16Text& units, int64_t start,
                               int64_t end, const std::string& words) {
  const auto fits = [&](int32_t from, int32_t to) {
    return from < to && (words.empty() || text.slice(from, to) == words);
  };
  if (start >= 0 && start < end && end <= text.size()) {
    const CharRange range(static_cast<int32_t>(start), static_cast<int32_t>(end));
    if (fits(range.first, range.second)) chars = range;
  }
  const auto from = units.char_of(start), to = units.char_of(end);
  if (from && to && fits(*from, *to)) utf16 = CharRange(*from, *to);
}

}  // namespace rex::eval::formats
