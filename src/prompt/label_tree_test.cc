#include "prompt/label_tree.h"

#include <gtest/gtest.h>

#include "prompt/prompt_test_support.h"

namespace rex::prompt {
namespace {

schema::Schema schema_of(const char* json) {
  auto schema = schema::parse_schema_text(json);
  EXPECT_TRUE(schema) << schema.error().to_string();
  return *std::move(schema);
}

TEST(LabelTree, P6_LabelsStandInByteOrderWhateverTheKeyOrder) {
  const auto tokenizer = tokenizer_of({"人物地理位置组织机构"});
  const auto tree = *compile_labels(schema_of(R"({"组织机构":null,"人物":null,"地理位置":null})"),
                                    *tokenizer, text::SpecialMatching::kOff);
  ASSERT_EQ(tree->roots.size(), 3U);
  EXPECT_EQ(tree->roots[0].label, "人物");
  EXPECT_EQ(tree->roots[1].label, "地理位置");
  EXPECT_EQ(tree->roots[2].label, "组织机构");
  EXPECT_EQ(tree->roots[2].order, 0);
  EXPECT_EQ(tree->roots[0].order, 1);
  EXPECT_EQ(tree->count, 3);
}

TEST(LabelTree, Q44_HoldsTheTokensOfEachLabelAndItsPath) {
  const auto tokenizer = tokenizer_of({"组织机构校长"});
  const auto tree = *compile_labels(schema_of(R"({"组织机构":{"校长":null}})"), *tokenizer,
                                    text::SpecialMatching::kOff);
  const LabelNode& child = tree->roots[0].children[0];
  EXPECT_EQ(shown(*tokenizer, child.ids), "校长");
  EXPECT_EQ(child.path, (schema::Path{"组织机构", "校长"}));
  EXPECT_EQ(child.order, 1);
  EXPECT_TRUE(child.is_leaf());
  EXPECT_FALSE(tree->roots[0].is_leaf());
}

TEST(LabelTree, Q10_SpecialStringsInLabelsAreTextUnlessAsked) {
  const auto tokenizer = tokenizer_of({"a[SEP]"});
  const auto plain =
      *compile_labels(schema_of(R"(["a[SEP]"])"), *tokenizer, text::SpecialMatching::kOff);
  const auto live =
      *compile_labels(schema_of(R"(["a[SEP]"])"), *tokenizer, text::SpecialMatching::kAll);
  const int32_t sep = tokenizer->special().sep;
  EXPECT_EQ(std::count(plain->roots[0].ids.begin(), plain->roots[0].ids.end(), sep), 0);
  EXPECT_EQ(live->roots[0].ids.back(), sep);
}

TEST(CheckLabels, P10_Q8_AcceptsALabelOf124TokensAndNamesOneOf125) {
  const auto tokenizer = tokenizer_of({"长人物"});
  std::string label;
  for (int i = 0; i < 124; ++i) label += "长";
  EXPECT_TRUE(check_labels(schema_of(("[\"" + label + "\"]").c_str()), *tokenizer));
  const auto refused = check_labels(
      schema_of((R"({"人物":{"a/b~":null,")" + label + "长\":null}}").c_str()), *tokenizer);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLabelTooLong);
  EXPECT_EQ(refused.error().place, "/人物/" + label + "长");
  EXPECT_NE(refused.error().message.find("125 tokens"), std::string::npos);
  EXPECT_NE(refused.error().message.find("124"), std::string::npos);
}

TEST(CheckLabels, NamesTheFirstLongLabelAsWritten) {
  const auto tokenizer = tokenizer_of({"长丙甲"});
  std::string tail;
  for (int i = 0; i < 124; ++i) tail += "长";
  const auto refused =
      check_labels(schema_of(("[\"甲" + tail + "\",\"丙" + tail + "\"]").c_str()), *tokenizer);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().place, "/甲" + tail);
}

TEST(CheckLabels, ShorterPassesAllowShorterLabels) {
  const auto tokenizer = tokenizer_of({"人物关系"});
  const schema::Schema schema = schema_of(R"(["人物人物关系"])");
  EXPECT_TRUE(check_labels(schema, *tokenizer, limits_for(20)));   // 10 - 3 - 1 = 6 tokens
  EXPECT_FALSE(check_labels(schema, *tokenizer, limits_for(18)));  // 5 tokens
}

TEST(Pointer, EscapesAsRfc6901) {
  EXPECT_EQ(pointer_to({"a/b", "~"}), "/a~1b/~0");
}

}  // namespace
}  // namespace rex::prompt
