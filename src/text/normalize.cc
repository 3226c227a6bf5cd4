#include "text/normalize.h"

#include "text/unicode_tables.h"

namespace rex::text {
namespace {

void push_space(int32_t from, NormalizedText& out) {
  if (!out.chars.empty() && out.chars.back() != U' ') out.push(U' ', from);
}

void push_mapped(CharRule rule, char32_t c, int32_t from, NormalizedText& out) {
  if (!rule.has_sequence()) {
    out.push(rule.map(c), from);
  } else {
    for (const char32_t mapped : rule.sequence()) out.push(mapped, from);
  }
}

// The arithmetic of the Unicode standard, section 3.12: 21 vowels, 28 trailing consonants, of
// which the first means none.
void push_jamo(char32_t syllable, int32_t from, NormalizedText& out) {
  const char32_t index = syllable - 0xAC00;
  const char32_t trailing = index % 28;
  out.push(0x1100 + index / (21 * 28), from);
  out.push(0x1161 + index / 28 % 21, from);
  if (trailing != 0) out.push(0x11A7 + trailing, from);
}

}  // namespace

void normalize(std::u32string_view piece, int32_t first, NormalizedText& out) {
  int32_t from = first;
  for (const char32_t c : piece) {
    const CharRule rule = rule_of(c);
    switch (rule.kind()) {
      case CharKind::kDropped: break;
      case CharKind::kSpace: push_space(from, out); break;
      case CharKind::kCjk:
        push_space(from, out);
        push_mapped(rule, c, from, out);
        push_space(from, out);
        break;
      case CharKind::kHangul: push_jamo(c, from, out); break;
      case CharKind::kKept: push_mapped(rule, c, from, out); break;
    }
    ++from;
  }
}

}  // namespace rex::text
