// JSON lines held in memory, each with its number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/json.h"
#include "core/result.h"

namespace rex::eval::formats {

// Calls read(Result<Json>, place) for each line that is not blank; place is "line N ".
template <class Read>
void for_each_line(std::string_view text, Read&& read) {
  for (int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    read(parse_json(line), "line " + std::to_string(number) + " ");
  }
}

}  // namespace rex::eval::formats
