// What normalisation does with each code point: the measured behaviour of the reference for all
// of Unicode (T6–T12), not that of any one Unicode version (T10). The tables in
// unicode_tables.cc are generated; see tools/generate_unicode_tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace rex::text {

enum class CharKind : uint8_t {
  kKept = 0,
  kDropped = 1,  // T6 and the marks of T8
  kSpace = 2,    // T6: becomes U+0020
  kCjk = 3,      // T7: a word of its own
  kHangul = 4,   // a syllable: decomposes by Unicode's algorithm, see normalize.cc
};

// The rule of one code point, one int32: bits 0–2 the kind, bit 3 punctuation, bit 4 "maps to
// several", from bit 5 the signed distance to the char that it maps to, or the place and length
// of its sequence.
class CharRule {
 public:
  explicit CharRule(int32_t bits) : bits_(bits) {}

  [[nodiscard]] CharKind kind() const { return static_cast<CharKind>(bits_ & 7); }
  // T11. Ask about the normalised char: `;` and U+037E differ in the original only.
  [[nodiscard]] bool is_punctuation() const { return (bits_ & 8) != 0; }
  [[nodiscard]] bool has_sequence() const { return (bits_ & 16) != 0; }
  // The decomposed, stripped, lower-cased form of `c` (T8, T9). Requires !has_sequence().
  [[nodiscard]] char32_t map(char32_t c) const {
    return static_cast<char32_t>(static_cast<int32_t>(c) + (bits_ >> 5));
  }
  // The same where it has two or three chars. Requires has_sequence().
  [[nodiscard]] std::u32string_view sequence() const;

 private:
  int32_t bits_;
};

namespace tables {
extern const uint8_t kBlockOf[];     // code point / 256 → block
extern const uint16_t kFirstRule[];  // block → where its list of rules starts in kRules
extern const uint8_t kRuleOf[];      // block × 256 + code point % 256 → place in that list
extern const int32_t kRules[];
extern const char32_t kSequences[];
}  // namespace tables

// Requires c <= U+10FFFF. Constant time.
inline CharRule rule_of(char32_t c) {
  const size_t block = tables::kBlockOf[c >> 8];
  const size_t rule = tables::kRuleOf[block << 8 | (c & 0xFF)];
  return CharRule(tables::kRules[tables::kFirstRule[block] + rule]);
}

inline std::u32string_view CharRule::sequence() const {
  const auto payload = static_cast<uint32_t>(bits_ >> 5);
  return {tables::kSequences + (payload >> 2), payload & 3};
}

}  // namespace rex::text
