#include "cli/terminal_text.h"

#include <gtest/gtest.h>

namespace rex::cli {
namespace {

TEST(TerminalText, ControlCharsCannotCommandTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb", true), "a\uFFFD[31mb");
  EXPECT_EQ(printable("a\u202Eb\u009B", true), "a\uFFFDb\uFFFD");
  EXPECT_EQ(printable("a\nb\tc\r", true), "a b c ");
  EXPECT_EQ(printable("a\r\nb", false), "a\nb");
}

TEST(TerminalText, EastAsianCharsTakeTwoColumns) {
  EXPECT_EQ(display_width("北京ab"), 6);
  EXPECT_EQ(display_width("，🎉"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(pad("北", 4), "北  ");
  EXPECT_EQ(pad("北京", 2), "北京");
}

}  // namespace
}  // namespace rex::cli
