#include "tasks/mentions.h"

#include <gtest/gtest.h>

namespace rex::tasks {
namespace {

constexpr std::u32string_view kText = U"他说他们见过其他人，她却没有。😀它";

TEST(Mentions, StringNamesAllItsOccurrences) {
  const auto found = read_mentions("他", kText, "/pronoun").value();
  EXPECT_EQ(found, (std::vector<Mention>{{0, 1}, {2, 3}, {7, 8}}));
}

TEST(Mentions, TakesTextsRangesAndLists) {
  const Json value = Json::array({{{"text", "她"}}, {{"start", 15}, {"end", 16}}, "她"});
  EXPECT_EQ(read_mentions(value, kText, "/p").value(), (std::vector<Mention>{{10, 11}, {15, 16}}));
}

TEST(Mentions, MisfitsAreNamed) {
  const auto error = [](const Json& value) { return read_mentions(value, kText, "/p").error(); };
  EXPECT_EQ(error("谁").code, ErrorCode::kOptionRange);
  EXPECT_EQ(error("").code, ErrorCode::kOptionRange);
  EXPECT_EQ(error(7).code, ErrorCode::kOptionType);
  EXPECT_EQ(error({{"start", 3}, {"end", 3}}).code, ErrorCode::kOptionRange);
  EXPECT_EQ(error({{"start", 3}, {"end", 99}}).code, ErrorCode::kOptionRange);
  EXPECT_EQ(error({{"start", -1}, {"end", 2}}).code, ErrorCode::kOptionRange);
  EXPECT_EQ(error({{"start", 1}}).code, ErrorCode::kOptionType);
  EXPECT_EQ(error(Json::array({"他", 7})).place, "/p/1");
}

TEST(Mentions, PronounsAreFoundLongestFirstAndNotInsideOtherWords) {
  EXPECT_EQ(find_pronouns(kText), (std::vector<Mention>{{0, 1}, {2, 4}, {10, 11}, {16, 17}}));
  EXPECT_TRUE(find_pronouns(U"尤其是吉他").empty());
}

TEST(Mentions, DistanceAndOverlap) {
  EXPECT_EQ(distance({0, 2}, {5, 6}), 3);
  EXPECT_EQ(distance({5, 6}, {0, 2}), 3);
  EXPECT_EQ(distance({0, 2}, {2, 3}), 0);
  EXPECT_FALSE(overlaps({0, 2}, {2, 3}));
  EXPECT_TRUE(overlaps({0, 3}, {2, 4}));
}

}  // namespace
}  // namespace rex::tasks
