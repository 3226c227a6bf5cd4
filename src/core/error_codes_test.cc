#include "core/error_codes.h"

#include <gtest/gtest.h>

#include <set>

namespace rex {
namespace {

TEST(ErrorCodes, RowsStandInTheOrderOfTheEnumerators) {
  for (size_t i = 0; i < kErrorCodes.size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(kErrorCodes[i].code), i) << kErrorCodes[i].name;
  }
  EXPECT_EQ(kErrorCodes.size(), static_cast<size_t>(ErrorCode::kInternal) + 1);
}

TEST(ErrorCodes, EveryRowHasAUniqueNameAndAdviceInBothLanguages) {
  std::set<std::string_view> names;
  for (const ErrorCodeRow& row : kErrorCodes) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.advice.empty()) << row.name;
    EXPECT_FALSE(row.title_zh.empty()) << row.name;
    EXPECT_FALSE(row.advice_zh.empty()) << row.name;
    EXPECT_GE(row.http_status, 400) << row.name;
    EXPECT_NE(row.exit_code, 0) << row.name;
  }
}

}  // namespace
}  // namespace rex
