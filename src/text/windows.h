// Windows of a long text beside a prompt (T22–T25).
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"

namespace rex::text {

// Text tokens [begin, end) of one window.
struct Window {
  int32_t begin = 0;
  int32_t end = 0;
  bool operator==(const Window&) const = default;
};

// Cuts `token_count` tokens into windows of at most `room` tokens, each starting `room - stride`
// after the one before, ending with the first that reaches the end (T23). Zero tokens give one
// empty window (T26). Errors: OPTION_RANGE when room < 1 or stride >= room with more than one
// window needed (T25).
Result<std::vector<Window>> split_windows(int32_t token_count, int32_t room, int32_t stride);

}  // namespace rex::text
