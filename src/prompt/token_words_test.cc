#include "prompt/token_words.h"

#include <gtest/gtest.h>

#include "core/check.h"
#include "engine/batch.h"

namespace rex::prompt {
namespace {

using engine::TokenWord;

constexpr text::SpecialIds kSpecial{.pad = 0,
                                    .cls = 1,
                                    .sep = 2,
                                    .unk = 3,
                                    .mask = 4,
                                    .prefix = 5,
                                    .type = 6,
                                    .classify = 7,
                                    .multi_classify = 8};
constexpr int32_t kCls = 1, kSep = 2, kPrefix = 5, kType = 6, kText = 100;

std::vector<uint32_t> words_of(const std::vector<int32_t>& ids) {
  std::vector<uint32_t> words(ids.size());
  EXPECT_TRUE(TokenWords(kSpecial).assign(ids, words));
  return words;
}

std::vector<uint32_t> positions_of(const std::vector<int32_t>& ids) {
  std::vector<uint32_t> positions;
  for (const uint32_t word : words_of(ids)) positions.push_back(TokenWord::position(word));
  return positions;
}

// Rows of 0 and 1, as the specification draws the mask.
std::vector<std::string> mask_of(const std::vector<int32_t>& ids) {
  const auto words = words_of(ids);
  std::vector<std::string> rows;
  for (const uint32_t row : words) {
    rows.emplace_back();
    for (const uint32_t col : words) rows.back() += TokenWord::visible(row, col) ? '1' : '0';
  }
  return rows;
}

TEST(TokenWords, P19_Example1_OneGroup) {
  const std::vector<int32_t> ids = {kCls,  kPrefix, kType, kText, kType, kText, kText, kText, kType,
                                    kText, kText,   kText, kSep,  kText, kText, kText, kSep};
  EXPECT_EQ(positions_of(ids),
            (std::vector<uint32_t>{0, 1, 2, 3, 2, 3, 4, 5, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

// Prefix parts of 6 and 4 tokens, types of 3 and 2 tokens in each, a text part of 4.
TEST(TokenWords, P19_Example2_TwoGroupsRestart) {
  std::vector<int32_t> ids = {kCls, kPrefix};
  const auto fill = [&](int count) { ids.insert(ids.end(), static_cast<size_t>(count), kText); };
  fill(5), ids.push_back(kType), fill(2), ids.push_back(kType), fill(1);
  ids.push_back(kPrefix), fill(3), ids.push_back(kType), fill(2), ids.push_back(kType), fill(1);
  ids.push_back(kSep), fill(2), ids.push_back(kSep);
  EXPECT_EQ(positions_of(ids), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8,  9,  7,  8, 1,
                                                      2, 3, 4, 5, 6, 7, 5, 6, 10, 11, 12, 13}));
}

TEST(TokenWords, P21_P24_TypesOfOneGroupDoNotSeeEachOther) {
  const std::vector<int32_t> ids = {kCls, kPrefix, kType, kType, kText, kSep, kText, kSep};
  EXPECT_EQ(mask_of(ids), (std::vector<std::string>{"11111111",     // [CLS]
                                                    "11111111",     // prefix part
                                                    "11100111",     // first type
                                                    "11011111",     // second type
                                                    "11011111",     //
                                                    "11111111",     // [SEP]
                                                    "11111111",     // text
                                                    "11111111"}));  // [SEP]
}

TEST(TokenWords, P22_GroupsDoNotSeeEachOther) {
  const std::vector<int32_t> ids = {kCls, kPrefix, kType, kPrefix, kType, kSep, kSep};
  EXPECT_EQ(mask_of(ids), (std::vector<std::string>{"1111111", "1110011", "1110011", "1001111",
                                                    "1001111", "1111111", "1111111"}));
}

TEST(TokenWords, Q10_SepInsideTheTextIsText) {
  const std::vector<int32_t> ids = {kCls, kPrefix, kType, kSep, kText, kSep, kText, kSep};
  EXPECT_EQ(positions_of(ids), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

// P18, P20: a [TYPE] in the text takes the rest of the text with it, up to the final [SEP]; its
// positions come before those of the text and are handed out in token order.
TEST(TokenWords, P20_Q10_TypeInsideTheTextJoinsTheLastGroup) {
  const std::vector<int32_t> ids = {kCls,  kPrefix, kType, kText, kSep,
                                    kText, kType,   kText, kText, kSep};
  EXPECT_EQ(positions_of(ids), (std::vector<uint32_t>{0, 1, 2, 3, 2, 3, 4, 5, 6, 7}));
  const auto rows = mask_of(ids);
  EXPECT_EQ(rows[3], "1111110001");  // the first type does not see the one in the text
  EXPECT_EQ(rows[5], "1111111111");
}

// P22: what lies inside the range of the last group is hidden from the other groups.
TEST(TokenWords, P22_TextInsideAGroupsRangeBelongsToIt) {
  const std::vector<int32_t> ids = {kCls, kPrefix, kType, kPrefix, kType, kSep, kText, kType, kSep};
  const auto rows = mask_of(ids);
  EXPECT_EQ(rows[1], "111000001");
  EXPECT_EQ(rows[6], "100111111");
}

TEST(TokenWords, Q10_PrefixWithoutTypeIsRefusedAsInTheOriginal) {
  const std::vector<int32_t> ids = {kCls, kPrefix, kType, kSep, kText, kPrefix, kText, kSep};
  std::vector<uint32_t> words(ids.size());
  const auto refused = TokenWords(kSpecial).assign(ids, words);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFieldConflict);
}

TEST(TokenWords, P18_APassMustBeginWithAPrefix) {
  const std::vector<int32_t> ids = {kCls, kType, kSep, kSep};
  std::vector<uint32_t> words(ids.size());
  EXPECT_THROW((void)TokenWords(kSpecial).assign(ids, words), InternalError);
}

}  // namespace
}  // namespace rex::prompt
