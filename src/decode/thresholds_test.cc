#include "decode/thresholds.h"

#include <gtest/gtest.h>

namespace rex::decode {
namespace {

TEST(Thresholds, PathWinsOverLabelAndLabelOverTheRest) {
  const std::map<std::string, double> exceptions = {{"出生地", 0.7}, {"人物/出生地", 0.8}};
  const Thresholds thresholds(0.5, exceptions);
  EXPECT_EQ(thresholds.of({"人物", "出生地"}), 0.8);
  EXPECT_EQ(thresholds.of({"作家", "出生地"}), 0.7);
  EXPECT_EQ(thresholds.of({"人物"}), 0.5);
}

}  // namespace
}  // namespace rex::decode
