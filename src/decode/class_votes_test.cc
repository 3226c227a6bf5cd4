#include "decode/class_votes.h"

#include <gtest/gtest.h>

#include "decode/probability.h"

namespace rex::decode {
namespace {

TEST(ClassVotes, D15_OneWindowGivesTheRoundedMeanOfTheThreeCells) {
  ClassVotes votes(1);
  votes.add(0, {2.0F, 1.0F, -0.5F}, 0.0F);
  EXPECT_EQ(votes.confidence(0), round4(mean_of_cells(2.0F, -0.5F, 1.0F)));
}

TEST(ClassVotes, Q14_EveryWindowVotesAndTheMeanIsRoundedOnce) {
  ClassVotes votes(1);
  votes.add(0, {4, 4, 4}, 0.0F);
  votes.add(0, {-4, -4, -4}, 0.0F);
  votes.add(0, {1, 1, 1}, 0.0F);
  const double mean =
      (mean_of_cells(4, 4, 4) + mean_of_cells(-4, -4, -4) + mean_of_cells(1, 1, 1)) / 3;
  EXPECT_EQ(votes.confidence(0), round4(mean));
}

TEST(ClassVotes, LinkedMeansAllThreeCellsInOneWindow) {
  ClassVotes votes(2);
  votes.add(0, {1, 1, -1}, 0.0F);
  votes.add(0, {1, -1, 1}, 0.0F);
  EXPECT_FALSE(votes.linked(0));
  votes.add(0, {0.5F, 0.5F, 0.5F}, 0.0F);
  EXPECT_TRUE(votes.linked(0));
  votes.add(1, {1, 1, 0}, 0.0F);  // Q3: exactly the floor is no link
  EXPECT_FALSE(votes.linked(1));
}

TEST(ClassVotes, ALabelCanBeAskedAnew) {
  ClassVotes votes(2);
  EXPECT_FALSE(votes.asked(0));
  votes.add(0, {1, 1, 1}, 0.0F);
  EXPECT_TRUE(votes.asked(0));
  votes.reset(0);
  EXPECT_FALSE(votes.asked(0));
  EXPECT_FALSE(votes.linked(0));
  EXPECT_EQ(votes.confidence(0), 0.0);
}

}  // namespace
}  // namespace rex::decode
