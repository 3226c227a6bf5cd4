#include "text/windows.h"

#include <algorithm>

#include "core/check.h"

namespace rex::text {

Result<std::vector<Window>> split_windows(int32_t token_count, int32_t room, int32_t stride) {
  REX_CHECK(token_count >= 0, "a number of tokens");
  if (room < 1) {
    return fail(ErrorCode::kOptionRange,
                "the prompt leaves no room for the text (room " + std::to_string(room) + ")");
  }
  if (stride < 0) {
    return fail(ErrorCode::kOptionRange, "stride " + std::to_string(stride) + " is negative");
  }
  if (token_count <= room) return std::vector<Window>{{0, token_count}};
  if (stride >= room) {
    return fail(ErrorCode::kOptionRange, "stride " + std::to_string(stride) +
                                             " must be below the room for the text, " +
                                             std::to_string(room));
  }
  std::vector<Window> windows;
  for (int32_t begin = 0;; begin += room - stride) {
    windows.push_back({begin, token_count - begin > room ? begin + room : token_count});
    if (windows.back().end == token_count) return windows;
  }
}

}  // namespace rex::text
