#include "text/utf8.h"

#include <gtest/gtest.h>

#include "core/check.h"

namespace rex::text {
namespace {

using std::string_literals::operator""s;

TEST(Utf8, EveryScalarValueSurvivesTheRoundTrip) {
  std::u32string chars;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c < 0xD800 || c > 0xDFFF) chars.push_back(c);
  }
  const auto decoded = decode_utf8(encode_utf8(chars));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(chars.size(), 1'112'064u);
  EXPECT_TRUE(*decoded == chars);
}

TEST(Utf8, NulIsAnOrdinaryChar) {
  EXPECT_EQ(*decode_utf8("a\0b"s), U"a\0b"s);
  EXPECT_EQ(encode_utf8(U"a\0b"s), "a\0b"s);
}

struct BadBytes {
  const char* what;
  std::string bytes;
  const char* place;
};

// T28: input must be valid Unicode; the first bad sequence is named by its first byte.
TEST(Utf8, T28InvalidBytesAreAnErrorThatNamesTheByte) {
  const BadBytes cases[] = {
      {"lone continuation", "\x80", "byte 0"},
      {"continuation after text", "ab\xBF", "byte 2"},
      {"truncated pair", "a\xC3", "byte 1"},
      {"truncated triple", "\xE4\xBD", "byte 0"},
      {"truncated triple after a char", "\xE4\xBD\xA0\xE4", "byte 3"},
      {"truncated quadruple", "\xF0\x9F\x98", "byte 0"},
      {"interrupted triple",
       "\xE4\xBD"
       "A",
       "byte 0"},
      {"interrupted quadruple",
       "x\xF0\x9F\x98"
       "A",
       "byte 1"},
      {"overlong NUL", "\xC0\x80", "byte 0"},
      {"overlong slash in two bytes", "\xC0\xAF", "byte 0"},
      {"overlong in two bytes", "\xC1\xBF", "byte 0"},
      {"overlong in three bytes", "\xE0\x9F\xBF", "byte 0"},
      {"overlong in four bytes", "\xF0\x8F\xBF\xBF", "byte 0"},
      {"first surrogate", "\xED\xA0\x80", "byte 0"},
      {"last surrogate", "\xED\xBF\xBF", "byte 0"},
      {"surrogate pair (CESU-8)", "\xED\xA0\xBD\xED\xB8\x80", "byte 0"},
      {"U+110000", "\xF4\x90\x80\x80", "byte 0"},
      {"F5", "\xF5\x80\x80\x80", "byte 0"},
      {"five byte form", "\xF8\x88\x80\x80\x80", "byte 0"},
      {"FF", "\xFF", "byte 0"},
      {"GB18030 text", "\xC4\xE3\xBA\xC3", "byte 0"},
  };
  for (const BadBytes& bad : cases) {
    const auto decoded = decode_utf8(bad.bytes);
    ASSERT_FALSE(decoded) << bad.what;
    EXPECT_EQ(decoded.error().code, ErrorCode::kEncodingInvalid) << bad.what;
    EXPECT_EQ(decoded.error().place, bad.place) << bad.what;
    EXPECT_FALSE(CharText::make(bad.bytes)) << bad.what;
  }
  EXPECT_NE(decode_utf8("a\xC3").error().message.find("0xC3"), std::string::npos);
}

TEST(Utf8, OnlyScalarValuesCanBeEncoded) {
  EXPECT_THROW(encode_utf8(std::u32string(1, 0xD800)), InternalError);
  EXPECT_THROW(encode_utf8(std::u32string(1, 0x110000)), InternalError);
}

TEST(CharText, CutsByChars) {
  const auto text = CharText::make("a你😀é");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->size(), 4);
  EXPECT_EQ(text->slice(1, 3), "你😀");
  EXPECT_EQ(text->slice(4, 4), "");
  EXPECT_EQ(text->slice(0, 4), text->utf8());
  EXPECT_EQ(text->byte_of(2), 4u);
  EXPECT_EQ(text->byte_of(4), 10u);
  EXPECT_THROW((void)text->slice(3, 5), InternalError);
  EXPECT_THROW((void)text->slice(2, 1), InternalError);
}

TEST(CharText, EmptyTextHasNoChars) {
  const auto text = CharText::make("");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->size(), 0);
  EXPECT_EQ(text->slice(0, 0), "");
}

}  // namespace
}  // namespace rex::text
