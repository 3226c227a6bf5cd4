// A text whose class markers are live and that grows on the way: the original's treatment of long
// class texts (D19–D22, Q14), for parity. It cuts windows with stride 0; into every window after
// the first it puts a marker in place of the last token, writes the marker into the text as well,
// and goes on with that text for the next hint and level.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "prompt/pass.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace rex::prompt {

// What one pass of the original sees as its text.
struct MarkedWindow {
  Pass pass;
  std::shared_ptr<const text::CharText> text;  // as it is while this window is decoded
  int32_t shift = 0;         // chars added to the offsets of the window's tokens (D20)
  int32_t marker_start = 0;  // claimed offset of a marker in front; ends marker length later
};

class MarkedText {
 public:
  // Errors: ENCODING_INVALID.
  static Result<MarkedText> make(std::string text, const text::Tokenizer& tokenizer,
                                 std::string marker, int32_t marker_id);

  // Appends the windows beside `hint` (borrowed) and grows the text. Tokens live as long as the
  // object. Errors: WORK_TOO_LARGE for a text of millions of chars.
  Result<void> append_windows(const Hint& hint, const PromptLimits& limits,
                              std::vector<MarkedWindow>& windows);

 private:
  using Tokens = std::vector<text::Token>;

  MarkedText(const text::Tokenizer& tokenizer, std::string marker, int32_t marker_id)
      : tokenizer_(&tokenizer), marker_(std::move(marker)), marker_id_(marker_id) {}
  Result<void> set_text(std::string text);
  Result<void> insert_marker(int32_t at);

  const text::Tokenizer* tokenizer_;
  std::string marker_;
  int32_t marker_id_;
  std::shared_ptr<const text::CharText> text_;
  std::vector<std::unique_ptr<const Tokens>> tokenised_;  // one for each hint that saw a new text
  bool grown_ = true;                                     // since it was last tokenised
};

}  // namespace rex::prompt
