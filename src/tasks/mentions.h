// Words of a text by place, for coreference: what the client names, and Chinese pronouns found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/result.h"

namespace rex::tasks {

// Chars [start, end) of the text.
struct Mention {
  int32_t start = 0;
  int32_t end = 0;
  bool operator==(const Mention&) const = default;
};

// A string or {"text"} (all its occurrences), {"start", "end"}, or a list of these; in order of
// the list, without repetitions. Errors: OPTION_TYPE, OPTION_RANGE (outside the text, or no
// occurrence), with `place` as base of the pointer.
Result<std::vector<Mention>> read_mentions(const Json& value, std::u32string_view text,
                                           const std::string& place);

// Personal pronouns (他 她 它, their plurals, 自己, 其), not as part of words such as 其他.
std::vector<Mention> find_pronouns(std::u32string_view text);

// Chars between two mentions; 0 when they touch or overlap.
int32_t distance(const Mention& a, const Mention& b);
bool overlaps(const Mention& a, const Mention& b);

}  // namespace rex::tasks
