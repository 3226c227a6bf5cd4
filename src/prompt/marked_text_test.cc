#include "prompt/marked_text.h"

#include <gtest/gtest.h>

#include "prompt/prompt_test_support.h"

namespace rex::prompt {
namespace {

constexpr int32_t kL = 10;  // chars of [CLASSIFY]

// A hint of 10 tokens and passes of 20 leave 9 tokens of text to a window.
class MarkedTextTest : public testing::Test {
 protected:
  MarkedTextTest() { hint_.ids.assign(10, 1); }

  MarkedText make(const std::string& text) {
    auto made = MarkedText::make(text, *tokenizer_, "[CLASSIFY]", tokenizer_->special().classify);
    EXPECT_TRUE(made);
    return *std::move(made);
  }
  std::vector<MarkedWindow> windows_of(MarkedText& text) {
    std::vector<MarkedWindow> windows;
    EXPECT_TRUE(text.append_windows(hint_, {20, 10, 7}, windows));
    return windows;
  }
  std::string text_part(const MarkedWindow& window) {
    std::vector<int32_t> ids;
    window.pass.append_ids(tokenizer_->special().sep, ids);
    return shown(*tokenizer_, std::span(ids).subspan(10));
  }

  std::shared_ptr<const text::Tokenizer> tokenizer_ =
      tokenizer_of({"一二三四五六七八九十甲乙丙丁戊己庚辛壬癸"});
  Hint hint_;
};

TEST_F(MarkedTextTest, ATextOfOneWindowIsLeftAlone) {
  MarkedText text = make("[CLASSIFY]一二三");
  const auto windows = windows_of(text);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(text_part(windows[0]), "[CLASSIFY]一二三[SEP]");
  EXPECT_EQ(windows[0].text->utf8(), "[CLASSIFY]一二三");
  EXPECT_EQ(windows[0].shift, 0);
}

TEST_F(MarkedTextTest, D19_LaterWindowsGetAMarkerAndLoseTheirLastToken) {
  MarkedText text = make("[CLASSIFY]一二三四五六七八九十甲乙丙丁戊己庚辛壬癸");
  const auto windows = windows_of(text);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(text_part(windows[0]), "[CLASSIFY]一二三四五六七八[SEP]");
  EXPECT_EQ(text_part(windows[1]), "[CLASSIFY]九十甲乙丙丁戊己[SEP]");
  EXPECT_EQ(text_part(windows[2]), "[CLASSIFY]辛壬[SEP]");
}

TEST_F(MarkedTextTest, D20_D21_ClaimAndInsertionAgreeOnlyForTheSecondWindow) {
  MarkedText text = make("[CLASSIFY]一二三四五六七八九十甲乙丙丁戊己庚辛壬癸");
  const auto windows = windows_of(text);
  const auto claimed = [&](const MarkedWindow& window) {
    return window.text->slice(window.marker_start, window.marker_start + kL);
  };
  EXPECT_EQ(windows[1].marker_start, 18);
  EXPECT_EQ(claimed(windows[1]), "[CLASSIFY]");
  EXPECT_EQ(windows[2].marker_start, 27 + kL);
  EXPECT_NE(claimed(windows[2]), "[CLASSIFY]");
  // Ordinary tokens are found where the shift says.
  const text::Token* token = windows[2].pass.token_at(11);
  EXPECT_EQ(windows[2].text->slice(token->start + windows[2].shift, token->end + windows[2].shift),
            "辛");
}

TEST_F(MarkedTextTest, D22_TheNextHintSeesTheGrownText) {
  MarkedText text = make("[CLASSIFY]一二三四五六七八九十");
  ASSERT_EQ(windows_of(text).size(), 2U);
  const auto again = windows_of(text);
  EXPECT_EQ(text_part(again[1]), "[CLASSIFY][CLASSIFY]九[SEP]");
  EXPECT_EQ(again[0].text->utf8(), "[CLASSIFY]一二三四五六七八[CLASSIFY]九十");
}

TEST_F(MarkedTextTest, ATextThatWouldBeCopiedTooOftenIsRefused) {
  std::string long_text = "[CLASSIFY]";
  for (int i = 0; i < 30'000; ++i) long_text += "一";
  MarkedText text = make(long_text);
  std::vector<MarkedWindow> windows;
  const auto refused = text.append_windows(hint_, {20, 10, 7}, windows);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kWorkTooLarge);
}

}  // namespace
}  // namespace rex::prompt
