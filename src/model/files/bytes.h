// Small helpers of the binary readers: little-endian numbers, and text of a file shown safely.
#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/check.h"

namespace rex::model {

static_assert(std::endian::native == std::endian::little, "the file formats are little-endian");

// The number at `offset`. The caller has checked that it lies inside `bytes`.
template <class Number>
Number load_number(std::span<const std::byte> bytes, size_t offset) {
  REX_CHECK(offset <= bytes.size() && sizeof(Number) <= bytes.size() - offset,
            "bounds are checked before a number is read");
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Text of an untrusted file for a message: at most 80 bytes, all but printable ASCII as \xNN.
inline std::string printable(std::string_view text) {
  constexpr size_t kMaxShown = 80;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string shown;
  for (const char c : text.substr(0, kMaxShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      shown += c;
    } else {
      shown += "\\x";
      shown += kHex[byte >> 4U];
      shown += kHex[byte & 0xFU];
    }
  }
  if (text.size() > kMaxShown) shown += "...";
  return shown;
}

}  // namespace rex::model
