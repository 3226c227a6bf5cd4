#include "text/normalize.h"

#include <gtest/gtest.h>

#include "text/utf8.h"

namespace rex::text {
namespace {

NormalizedText normalized(std::string_view utf8, int32_t first = 0) {
  NormalizedText out;
  normalize(*decode_utf8(utf8), first, out);
  return out;
}

std::string chars_of(std::string_view utf8) {
  return encode_utf8(normalized(utf8).chars);
}

TEST(Normalize, T6DropsControlFormatAndPrivateUse) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(chars_of("a\0b"sv), "ab");
  EXPECT_EQ(chars_of("a\u200Bb\u200Dc\uFEFFd\u00ADe\uFFFDf\uE000g"), "abcdefg");
  EXPECT_EQ(chars_of("a\x0B"
                     "b\x0C"
                     "c\u0085d"),
            "abcd");
}

TEST(Normalize, T6KeepsUnassignedCodePoints) {
  EXPECT_EQ(chars_of("a\u0378b"), "a\u0378b");
}

TEST(Normalize, T6TurnsWhitespaceIntoOneKindOfSpace) {
  EXPECT_EQ(chars_of("a\tb\nc\rd\u00A0e\u3000f\u2028g\u1680h"), "a b c d e f g h");
}

TEST(Normalize, T7SpacesOutCjk) {
  EXPECT_EQ(chars_of("a好b"), "a 好 b");
  EXPECT_EQ(chars_of("a㐀b"), "a 㐀 b");
  EXPECT_EQ(chars_of("a\U00020000b"), "a \U00020000 b");
}

TEST(Normalize, T7TheSixthRangeStartsLate) {
  EXPECT_EQ(chars_of("a\U0002B820b\U0002B91Fc"), "a\U0002B820b\U0002B91Fc");
  EXPECT_EQ(chars_of("a\U0002B920b"), "a \U0002B920 b");
}

TEST(Normalize, T7KanaBopomofoAndIterationMarksAreNotCjk) {
  EXPECT_EQ(chars_of("aかbㄅc々d〇e"), "aかbㄅc々d〇e");
}

TEST(Normalize, T8StripsAccents) {
  EXPECT_EQ(chars_of("éがë\uFE0F"), "eかe");
  EXPECT_EQ(chars_of("e\u0301"), "e");
  EXPECT_EQ(chars_of("\uF900"), "豈 ");
}

TEST(Normalize, T8DecomposesHangul) {
  EXPECT_EQ(normalized("가한").chars, U"\u1100\u1161\u1112\u1161\u11AB");
  EXPECT_EQ(normalized("힣").chars, U"\u1112\u1175\u11C2");
}

TEST(Normalize, T8KeepsCompatibilityForms) {
  EXPECT_EQ(chars_of("１ﬁ①²"), "１ﬁ①²");
}

TEST(Normalize, T9LowerCasesWithoutContext) {
  EXPECT_EQ(chars_of("HELLO İΣΑΣ ẞ Ⅲ"), "hello iσασ ß ⅲ");
}

TEST(Normalize, T10NewerMarksSurvive) {
  EXPECT_EQ(chars_of("a\u08D4\u1DF6"), "a\u08D4\u1DF6");
}

TEST(Normalize, T17EveryCharKnowsItsOrigin) {
  const NormalizedText text = normalized("\u200Ba\u0301好한", 10);
  EXPECT_EQ(text.chars, U"a 好 \u1112\u1161\u11AB");
  EXPECT_EQ(text.origin[0], 11);
  EXPECT_EQ(text.origin[2], 13);
  EXPECT_EQ((std::vector<int32_t>(text.origin.begin() + 4, text.origin.end())),
            (std::vector<int32_t>{14, 14, 14}));
}

}  // namespace
}  // namespace rex::text
