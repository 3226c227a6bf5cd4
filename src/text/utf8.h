// Bytes to chars and back. A char is one Unicode code point; nothing is ever replaced.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace rex::text {

// Errors: ENCODING_INVALID; `place` is "byte N" (0-based) of the first byte that is not UTF-8
// (overlong forms, surrogates and values above U+10FFFF included). NUL is an ordinary char.
Result<std::u32string> decode_utf8(std::string_view utf8);

// Requires Unicode scalar values: no surrogates, nothing above U+10FFFF.
std::string encode_utf8(std::u32string_view chars);

// A UTF-8 text that can be cut by char offsets in constant time. Keeps its own copy.
class CharText {
 public:
  // Errors: those of decode_utf8, TEXT_TOO_LONG from 2 GiB on.
  static Result<CharText> make(std::string utf8);

  [[nodiscard]] int32_t size() const { return static_cast<int32_t>(byte_of_char_.size()) - 1; }
  [[nodiscard]] const std::string& utf8() const { return utf8_; }
  // The bytes of chars [start, end). Requires 0 <= start <= end <= size().
  [[nodiscard]] std::string_view slice(int32_t start, int32_t end) const;
  // Byte offset of char `index`, 0 <= index <= size().
  [[nodiscard]] uint32_t byte_of(int32_t index) const {
    return byte_of_char_[static_cast<size_t>(index)];
  }

 private:
  std::string utf8_;
  std::vector<uint32_t> byte_of_char_;  // size() + 1 entries
};

}  // namespace rex::text
