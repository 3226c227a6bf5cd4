#include "prompt/pass.h"

#include <algorithm>

#include "core/check.h"

namespace rex::prompt {
namespace {

std::vector<text::Window> windows_of(const std::vector<text::Token>& tokens, int32_t room,
                                     int32_t stride) {
  auto windows = text::split_windows(static_cast<int32_t>(tokens.size()), room, stride);
  REX_CHECK(windows, "a hint leaves at least half of the pass to the text");
  return *std::move(windows);
}

// T22: [CLS], both [SEP] and the hint take the rest.
int32_t room_beside(const Hint& hint, const PromptLimits& limits) {
  return limits.pass - static_cast<int32_t>(hint.ids.size()) - 1;
}

}  // namespace

void Pass::append_ids(int32_t sep, std::vector<int32_t>& ids) const {
  ids.insert(ids.end(), hint->ids.begin(), hint->ids.end());
  if (marker != kNoMarker) ids.push_back(marker);
  for (int32_t i = window.begin; i < window.end; ++i) {
    ids.push_back((*tokens)[static_cast<size_t>(i)].id);
  }
  ids.push_back(sep);
}

void append_span_passes(const Hint& hint, const std::vector<text::Token>& tokens,
                        const PromptLimits& limits, int32_t stride, std::vector<Pass>& passes) {
  const int32_t room = room_beside(hint, limits);
  for (const text::Window window : windows_of(tokens, room, std::min(stride, room / 2))) {
    passes.push_back({.hint = &hint, .tokens = &tokens, .window = window});
  }
}

void append_class_passes(const Hint& hint, const std::vector<text::Token>& tokens,
                         const PromptLimits& limits, int32_t marker, std::vector<Pass>& passes) {
  for (const text::Window window : windows_of(tokens, room_beside(hint, limits) - 1, 0)) {
    passes.push_back({.hint = &hint, .tokens = &tokens, .window = window, .marker = marker});
  }
}

}  // namespace rex::prompt
