#include "decode/probability.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rex::decode {
namespace {

TEST(Probability, M24_OneHalfIsTheLogitZero) {
  EXPECT_EQ(probability(0.0F), 0.5F);
  EXPECT_EQ(logit_of(0.5), 0.0F);
  EXPECT_EQ(probability(1000.0F), 1.0F);
  EXPECT_EQ(probability(-1000.0F), 0.0F);
}

TEST(Probability, LogitOfInvertsAndReachesTheEnds) {
  for (const double threshold : {0.01, 0.3, 0.45, 0.9, 0.999}) {
    EXPECT_NEAR(probability(logit_of(threshold)), threshold, 1e-6) << threshold;
  }
  EXPECT_EQ(logit_of(0.0), -INFINITY);
  EXPECT_EQ(logit_of(1.0), INFINITY);
}

TEST(MeanOfCells, D15_SumsInOrderAndDividesInFloat32) {
  const float a = probability(1.0F), b = probability(2.0F), c = probability(-0.5F);
  EXPECT_EQ(mean_of_cells(1.0F, 2.0F, -0.5F), static_cast<double>((a + b + c) / 3.0F));
  EXPECT_EQ(mean_of_cells(0.0F, 0.0F, 0.0F), 0.5);
}

TEST(Round4, D15_NearestOfFourDecimalsExactTiesToEven) {
  EXPECT_EQ(round4(0.69473), 0.6947);
  EXPECT_EQ(round4(0.69478), 0.6948);
  EXPECT_EQ(round4(0.0), 0.0);
  EXPECT_EQ(round4(1.0), 1.0);
  // 2^-5 = 0.03125 and 3 · 2^-5 = 0.09375 are exact ties.
  EXPECT_EQ(round4(0.03125), 0.0312);
  EXPECT_EQ(round4(0.09375), 0.0938);
  // Written like a tie, but the nearest double lies below it.
  EXPECT_EQ(round4(0.00015), 0.0001);
}

}  // namespace
}  // namespace rex::decode
