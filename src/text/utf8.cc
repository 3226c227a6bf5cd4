#include "text/utf8.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/check.h"

namespace rex::text {
namespace {

struct Decoded {
  char32_t c;
  size_t length;  // 0: not UTF-8
};

// How a lead byte continues: the length of its sequence and the range of the second byte, which
// is what excludes overlong forms, surrogates and values above U+10FFFF.
struct Lead {
  uint8_t length, second_min, second_max;
};

constexpr Lead lead_of(unsigned byte) {
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

constexpr auto kLeads = [] {
  std::array<Lead, 256> leads{};
  for (unsigned byte = 0; byte < 256; ++byte) leads[byte] = lead_of(byte);
  return leads;
}();

Decoded decode_one(std::string_view rest) {
  const auto byte = [rest](size_t i) { return static_cast<uint8_t>(rest[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const Lead lead = kLeads[byte(0)];
  if (lead.length == 0 || rest.size() < lead.length) return {0, 0};
  if (byte(1) < lead.second_min || byte(1) > lead.second_max) return {0, 0};
  char32_t c = byte(0) & (0x7Fu >> lead.length);
  c = c << 6 | (byte(1) & 0x3Fu);
  for (size_t i = 2; i < lead.length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 0};
    c = c << 6 | (byte(i) & 0x3Fu);
  }
  return {c, lead.length};
}

// Calls visit(char, byte offset) for each char.
template <class Visit>
Result<void> for_each_char(std::string_view utf8, Visit visit) {
  for (size_t at = 0; at < utf8.size();) {
    const Decoded decoded = decode_one(utf8.substr(at));
    if (decoded.length == 0) {
      constexpr char kHex[] = "0123456789ABCDEF";
      const auto bad = static_cast<uint8_t>(utf8[at]);
      return fail(ErrorCode::kEncodingInvalid,
                  std::string("not UTF-8: no valid sequence starts with byte 0x") + kHex[bad >> 4] +
                      kHex[bad & 15] + " here",
                  "byte " + std::to_string(at));
    }
    visit(decoded.c, at);
    at += decoded.length;
  }
  return {};
}

size_t count_chars(std::string_view utf8) {
  return static_cast<size_t>(std::count_if(
      utf8.begin(), utf8.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

}  // namespace

Result<std::u32string> decode_utf8(std::string_view utf8) {
  std::u32string chars;
  chars.reserve(count_chars(utf8));
  REX_TRY_VOID(for_each_char(utf8, [&chars](char32_t c, size_t) { chars.push_back(c); }));
  return chars;
}

std::string encode_utf8(std::u32string_view chars) {
  std::string utf8;
  utf8.reserve(chars.size());
  const auto put = [&utf8](char32_t byte) { utf8.push_back(static_cast<char>(byte)); };
  const auto put_tail = [&put](char32_t c, int shift) { put(0x80 | (c >> shift & 0x3F)); };
  for (const char32_t c : chars) {
    REX_CHECK(c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF), "only Unicode scalar values are chars");
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xC0 | c >> 6);
      put_tail(c, 0);
    } else if (c < 0x10000) {
      put(0xE0 | c >> 12);
      put_tail(c, 6);
      put_tail(c, 0);
    } else {
      put(0xF0 | c >> 18);
      put_tail(c, 12);
      put_tail(c, 6);
      put_tail(c, 0);
    }
  }
  return utf8;
}

Result<CharText> CharText::make(std::string utf8) {
  if (utf8.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return fail(ErrorCode::kTextTooLong,
                std::to_string(utf8.size()) + " bytes, at most 2147483647 are accepted");
  }
  CharText text;
  text.byte_of_char_.reserve(count_chars(utf8) + 1);
  REX_TRY_VOID(for_each_char(utf8, [&text](char32_t, size_t at) {
    text.byte_of_char_.push_back(static_cast<uint32_t>(at));
  }));
  text.byte_of_char_.push_back(static_cast<uint32_t>(utf8.size()));
  text.utf8_ = std::move(utf8);
  return text;
}

std::string_view CharText::slice(int32_t start, int32_t end) const {
  REX_CHECK(0 <= start && start <= end && end <= size(), "a slice lies inside its text");
  return std::string_view(utf8_).substr(byte_of(start), byte_of(end) - byte_of(start));
}

}  // namespace rex::text
