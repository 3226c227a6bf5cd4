#include "core/json.h"

#include <gtest/gtest.h>

namespace rex {
namespace {

TEST(ParseJson, KeepsTheOrderOfKeys) {
  const auto json = parse_json(R"({"b": 1, "a": [true, null, "x"]})");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->dump(), R"({"b":1,"a":[true,null,"x"]})");
}

TEST(ParseJson, RepeatedKeyIsAnErrorWithItsPointer) {
  const auto json = parse_json(R"({"a": {"x/y": 1, "x/y": 2}})");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().code, ErrorCode::kSchemaDuplicateKey);
  EXPECT_EQ(json.error().place, "/a/x~1y");
}

TEST(ParseJson, RepeatedKeyMayKeepTheLastValue) {
  const auto json = parse_json(R"({"a": 1, "b": 2, "a": 3})", {.reject_duplicate_keys = false});
  ASSERT_TRUE(json);
  EXPECT_EQ(json->dump(), R"({"a":3,"b":2})");
}

TEST(ParseJson, DepthIsBoundedBeforeTheStackIs) {
  const std::string deep(100000, '[');
  const auto json = parse_json(deep);
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().code, ErrorCode::kSchemaTooDeep);
}

// A scan of all keys for each new one would take minutes here.
TEST(ParseJson, AnObjectOfManyKeysTakesLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":0";
  const auto json = parse_json(text + "}");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->size(), 200000U);
}

TEST(ParseJson, SyntaxErrorNamesTheByte) {
  const auto json = parse_json(R"({"a": })");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().code, ErrorCode::kJsonInvalid);
  EXPECT_EQ(json.error().place, "byte 7");
}

TEST(ParseJson, LoneSurrogateAndInvalidUtf8AreRefused) {
  EXPECT_EQ(parse_json(R"("\ud800")").error().code, ErrorCode::kJsonInvalid);
  const auto bad = parse_json("\"\xff\"");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::kEncodingInvalid);
}

TEST(ParseJson, EmptyInputAndTrailingBytesAreRefused) {
  EXPECT_FALSE(parse_json(""));
  EXPECT_FALSE(parse_json("{} {}"));
}

}  // namespace
}  // namespace rex
