#include "text/windows.h"

#include <gtest/gtest.h>

#include <limits>

namespace rex::text {
namespace {

using Windows = std::vector<Window>;

// The specification's example: at most 20 tokens, 7 of the hint, hence room 10.
TEST(Windows, T23ReferenceExamples) {
  EXPECT_EQ(*split_windows(24, 10, 4), (Windows{{0, 10}, {6, 16}, {12, 22}, {18, 24}}));
  EXPECT_EQ(*split_windows(10, 10, 4), (Windows{{0, 10}}));
  EXPECT_EQ(*split_windows(11, 10, 4), (Windows{{0, 10}, {6, 11}}));
  EXPECT_EQ(split_windows(16, 10, 4)->size(), 2u);
  EXPECT_EQ(split_windows(17, 10, 4)->size(), 3u);
}

TEST(Windows, T23WithoutStrideWindowsDoNotOverlap) {
  EXPECT_EQ(*split_windows(25, 10, 0), (Windows{{0, 10}, {10, 20}, {20, 25}}));
  EXPECT_EQ(*split_windows(20, 10, 0), (Windows{{0, 10}, {10, 20}}));
}

TEST(Windows, T26NoTokensGiveOneEmptyWindow) {
  EXPECT_EQ(*split_windows(0, 10, 4), (Windows{{0, 0}}));
}

TEST(Windows, T25NoRoomIsAnError) {
  for (const int32_t room : {0, -5}) {
    const auto windows = split_windows(3, room, 0);
    ASSERT_FALSE(windows);
    EXPECT_EQ(windows.error().code, ErrorCode::kOptionRange);
  }
}

TEST(Windows, T25StrideMustBeBelowTheRoomWhenItMatters) {
  for (const int32_t stride : {10, 11, -1}) {
    const auto windows = split_windows(11, 10, stride);
    ASSERT_FALSE(windows) << stride;
    EXPECT_EQ(windows.error().code, ErrorCode::kOptionRange);
  }
  EXPECT_TRUE(split_windows(10, 10, 32));
  EXPECT_TRUE(split_windows(11, 10, 9));
}

// T22, T23: every token is in a window, neighbours share `stride` tokens, none is superfluous.
TEST(Windows, T23CoverEveryTokenForAllSmallSizes) {
  for (int32_t room = 1; room <= 9; ++room) {
    for (int32_t stride = 0; stride < room; ++stride) {
      for (int32_t count = 1; count <= 40; ++count) {
        const Windows windows = *split_windows(count, room, stride);
        EXPECT_EQ(windows.front().begin, 0);
        EXPECT_EQ(windows.back().end, count);
        for (size_t k = 0; k + 1 < windows.size(); ++k) {
          EXPECT_EQ(windows[k].end - windows[k].begin, room);
          EXPECT_EQ(windows[k].end - windows[k + 1].begin, stride);
          EXPECT_LT(windows[k].end, count);
        }
      }
    }
  }
}

TEST(Windows, CountsNearTheLimitDoNotWrapRound) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(*split_windows(kMax, kMax - 1, 0), (Windows{{0, kMax - 1}, {kMax - 1, kMax}}));
}

}  // namespace
}  // namespace rex::text
