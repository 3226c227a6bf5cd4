// A pass: one hint with one window of the text, the unit of batching. The level of a schema
// becomes asks, asks become hints (hint.h), hints and windows become passes; the walk over a
// pass's ids gives positions and mask (token_words.h).
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "prompt/hint.h"
#include "text/tokenizer.h"
#include "text/windows.h"

namespace rex::prompt {

// [CLS] hint [SEP] [marker] text tokens of the window [SEP]. Borrows hint and tokens.
struct Pass {
  static constexpr int32_t kNoMarker = -1;

  const Hint* hint = nullptr;
  const std::vector<text::Token>* tokens = nullptr;  // of the whole text (Q44)
  text::Window window;
  int32_t marker = kNoMarker;  // id of the class marker put in front of the window's text
  // What decoding wants of the engine, see engine::PassInfo.
  float logit_floor = 0.0F;
  bool class_cells = false;

  // First token of the text region.
  [[nodiscard]] int32_t text_begin() const { return static_cast<int32_t>(hint->ids.size()); }
  // First token of the window's own text, after a marker in front.
  [[nodiscard]] int32_t window_begin() const {
    return text_begin() + (marker == kNoMarker ? 0 : 1);
  }
  [[nodiscard]] int32_t token_count() const {
    return window_begin() + window.end - window.begin + 1;
  }
  // The text token at index `token` of the pass, nullptr for a marker in front and the final [SEP].
  [[nodiscard]] const text::Token* token_at(int32_t token) const {
    const int32_t index = window.begin + token - window_begin();
    if (index < window.begin || index >= window.end) return nullptr;
    return &(*tokens)[static_cast<size_t>(index)];
  }
  void append_ids(int32_t sep, std::vector<int32_t>& ids) const;
};

// The passes of a text that is searched for spans, hint by hint, window by window (T22–T26).
// A stride above half a window is cut to that. Borrows hint and tokens.
void append_span_passes(const Hint& hint, const std::vector<text::Token>& tokens,
                        const PromptLimits& limits, int32_t stride, std::vector<Pass>& passes);

// The passes of a text that is classified: windows of one token less, side by side, each with the
// marker in front, so that every window can vote (Q14). Borrows hint and tokens.
void append_class_passes(const Hint& hint, const std::vector<text::Token>& tokens,
                         const PromptLimits& limits, int32_t marker, std::vector<Pass>& passes);

}  // namespace rex::prompt
