#include "cli/terminal_text.h"

#include "text/utf8.h"

namespace rex::cli {
namespace {

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

bool is_combining(char32_t c) {
  return (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0x1F3FB && c <= 0x1F3FF);
}

bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
         (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
         (c >= 0x20000 && c <= 0x3FFFD);
}

}  // namespace

std::string printable(std::string_view utf8, bool one_line) {
  const auto chars = text::decode_utf8(utf8);
  std::u32string shown;
  for (const char32_t c : chars ? *chars : std::u32string()) {
    const bool layout = c == '\n' || c == '\t' || c == '\r';
    if (layout) {
      if (one_line)
        shown += U' ';
      else if (c != '\r')
        shown += c;
    } else {
      shown += is_control(c) ? U'\uFFFD' : c;
    }
  }
  return text::encode_utf8(shown);
}

int32_t display_width(std::string_view utf8) {
  const auto chars = text::decode_utf8(utf8);
  int32_t width = 0;
  for (const char32_t c : chars ? *chars : std::u32string())
    width += is_combining(c) ? 0 : is_wide(c) ? 2 : 1;
  return width;
}

std::string pad(std::string_view utf8, int32_t width) {
  std::string padded(utf8);
  for (int32_t have = display_width(utf8); have < width; ++have) padded += ' ';
  return padded;
}

}  // namespace rex::cli
