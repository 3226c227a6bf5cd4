#include "text/special_strings.h"

#include <algorithm>

namespace rex::text {

SpecialStrings::SpecialStrings(const Vocabulary& vocabulary) {
  for (const int32_t id : vocabulary.special_list()) {
    const std::string& ascii = vocabulary.entries()[static_cast<size_t>(id)];
    longest_first_.push_back({std::u32string(ascii.begin(), ascii.end()), id});
  }
  std::sort(longest_first_.begin(), longest_first_.end(),
            [](const Special& a, const Special& b) { return a.text.size() > b.text.size(); });
}

std::optional<SpecialStrings::Match> SpecialStrings::find(std::u32string_view text,
                                                          size_t from) const {
  for (size_t at = text.find(U'[', from); at != text.npos; at = text.find(U'[', at + 1)) {
    for (const Special& special : longest_first_) {
      if (text.substr(at).starts_with(special.text)) {
        return Match{at, at + special.text.size(), special.id};
      }
    }
  }
  return std::nullopt;
}

}  // namespace rex::text
