#include "text/unicode_tables.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "support/test_data.h"
#include "text/normalize.h"

namespace rex::text {
namespace {

constexpr char32_t kLast = 0x10FFFF;

bool is_surrogate(char32_t c) {
  return c >= 0xD800 && c <= 0xDFFF;
}

// The normalised form of `c` between two letters: the spaces around it show its kind.
std::u32string between_letters(char32_t c) {
  static NormalizedText normalized;
  normalized.clear();
  normalize(std::u32string{U'x', c, U'x'}, 0, normalized);
  return normalized.chars;
}

std::u32string mapped_form(char32_t c) {
  const CharRule rule = rule_of(c);
  if (rule.kind() == CharKind::kHangul) {
    const std::u32string jamo = between_letters(c);
    return jamo.substr(1, jamo.size() - 2);
  }
  return rule.has_sequence() ? std::u32string(rule.sequence()) : std::u32string(1, rule.map(c));
}

struct Expected {
  char kind = 0;  // D, S, C of the table or 0
  bool punctuation = false;
  std::u32string mapped;
};

std::u32string hangul_jamo(char32_t c) {
  std::u32string jamo{0x1100 + (c - 0xAC00) / 588, 0x1161 + (c - 0xAC00) % 588 / 28};
  if ((c - 0xAC00) % 28 != 0) jamo.push_back(0x11A7 + (c - 0xAC00) % 28);
  return jamo;
}

std::vector<Expected> read_table(const std::filesystem::path& path) {
  std::vector<Expected> table(kLast + 1);
  for (char32_t c = 0; c <= kLast; ++c) {
    table[c].mapped = c >= 0xAC00 && c <= 0xD7A3 ? hangul_jamo(c) : std::u32string(1, c);
  }
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string kind;
    uint32_t first = 0, last = 0;
    fields >> kind >> std::hex >> first >> last;
    std::u32string mapped;
    for (uint32_t c = 0; fields >> c;) mapped.push_back(c);
    for (uint32_t c = first; c <= last; ++c) {
      if (kind == "P") table[c].punctuation = true;
      if (kind == "M") table[c].mapped = mapped;
      if (kind == "D" || kind == "S" || kind == "C") table[c].kind = kind[0];
    }
  }
  return table;
}

std::u32string expected_between_letters(const Expected& expected) {
  switch (expected.kind) {
    case 'D': return U"xx";
    case 'S': return U"x x";
    case 'C': return U"x " + expected.mapped + U" x";
    default: return U"x" + expected.mapped + U"x";
  }
}

// T6–T11 over the whole of Unicode.
TEST(UnicodeTables, EveryCodePointBehavesAsMeasured) {
  const auto path = shared_golden_dir().parent_path() / "spec" / "bert_unicode.tsv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "specification table not found at " << path;
  const std::vector<Expected> table = read_table(path);
  size_t checked = 0;
  for (char32_t c = 0; c <= kLast; ++c) {
    if (is_surrogate(c)) continue;
    ASSERT_TRUE(between_letters(c) == expected_between_letters(table[c]))
        << "U+" << std::hex << static_cast<uint32_t>(c);
    ASSERT_EQ(rule_of(c).is_punctuation(), table[c].punctuation)
        << "U+" << std::hex << static_cast<uint32_t>(c);
    ++checked;
  }
  EXPECT_EQ(checked, 1'112'064u);
}

// The same for a checkout without the specification: FNV-1a over every code point's flags and
// mapping. tools/generate_unicode_tables computes it from the specification's table.
TEST(UnicodeTables, ChecksumOverEveryCodePoint) {
  constexpr uint64_t kChecksum = 0xeb071fc88428f198;
  uint64_t hash = 0xCBF29CE484222325;
  const auto add = [&hash](uint32_t word) { hash = (hash ^ word) * 0x100000001B3; };
  for (char32_t c = 0; c <= kLast; ++c) {
    if (is_surrogate(c)) continue;
    const CharRule rule = rule_of(c);
    const std::u32string mapped = mapped_form(c);
    add(static_cast<uint32_t>(rule.kind()) | (rule.is_punctuation() ? 8u : 0u));
    add(static_cast<uint32_t>(mapped.size()));
    for (const char32_t m : mapped) add(m);
  }
  EXPECT_EQ(hash, kChecksum);
}

}  // namespace
}  // namespace rex::text
