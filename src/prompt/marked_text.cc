#include "prompt/marked_text.h"

#include <algorithm>

#include "core/check.h"
#include "text/windows.h"

namespace rex::prompt {
namespace {

// Every window keeps the text as it saw it.
constexpr uint64_t kMaxCopiedChars = 64U << 20;

}  // namespace

Result<MarkedText> MarkedText::make(std::string text, const text::Tokenizer& tokenizer,
                                    std::string marker, int32_t marker_id) {
  MarkedText made(tokenizer, std::move(marker), marker_id);
  REX_TRY_VOID(made.set_text(std::move(text)));
  return made;
}

Result<void> MarkedText::set_text(std::string text) {
  REX_TRY(chars, text::CharText::make(std::move(text)));
  text_ = std::make_shared<const text::CharText>(std::move(chars));
  grown_ = true;
  return {};
}

Result<void> MarkedText::insert_marker(int32_t at) {
  std::string grown = text_->utf8();
  grown.insert(text_->byte_of(at), marker_);
  return set_text(std::move(grown));
}

Result<void> MarkedText::append_windows(const Hint& hint, const PromptLimits& limits,
                                        std::vector<MarkedWindow>& windows) {
  if (grown_) {
    REX_TRY(tokens, tokenizer_->encode(text_->utf8(), text::SpecialMatching::kAll));
    tokenised_.push_back(std::make_unique<const Tokens>(std::move(tokens)));
    grown_ = false;
  }
  const Tokens& tokens = *tokenised_.back();
  const int32_t room = limits.pass - static_cast<int32_t>(hint.ids.size()) - 1;
  REX_TRY(cut, text::split_windows(static_cast<int32_t>(tokens.size()), room, 0));
  if (cut.size() * static_cast<uint64_t>(text_->size()) > kMaxCopiedChars) {
    return fail(ErrorCode::kWorkTooLarge,
                "a class text of " + std::to_string(text_->size()) + " chars in " +
                    std::to_string(cut.size()) +
                    " windows is too long for the reference behaviour, which copies it for each");
  }
  const auto marker_chars = static_cast<int32_t>(marker_.size());
  for (size_t j = 0; j < cut.size(); ++j) {
    MarkedWindow window;
    window.pass = {.hint = &hint, .tokens = &tokens, .window = cut[j]};
    if (j > 0) {
      const int32_t start = tokens[static_cast<size_t>(cut[j].begin)].start;
      window.shift = static_cast<int32_t>(j) * marker_chars;
      window.marker_start = start + window.shift - marker_chars;
      window.pass.marker = marker_id_;
      --window.pass.window.end;
      REX_TRY_VOID(insert_marker(start));
    }
    window.text = text_;
    windows.push_back(std::move(window));
  }
  return {};
}

}  // namespace rex::prompt
