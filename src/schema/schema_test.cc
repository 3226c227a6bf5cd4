#include "schema/schema.h"

#include <gtest/gtest.h>

namespace rex::schema {
namespace {

Schema tree() {
  return parse_schema_text(R"({"时间": null, "球队": {"胜者": {"比分": null}, "败者": null}})")
      .value();
}

TEST(Schema, LegalPathsAreTheLeavesInOrder) {  // P2
  const std::vector<Path> expected = {{"时间"}, {"球队", "胜者", "比分"}, {"球队", "败者"}};
  EXPECT_EQ(legal_paths(tree()), expected);
}

TEST(Schema, AnExplicitLegalListReplacesTheLeaves) {  // P2
  Schema schema = tree();
  schema.legal_paths = {{"球队"}};
  EXPECT_EQ(legal_paths(schema), std::vector<Path>{{"球队"}});
}

TEST(Schema, CountsLevelsAndLabels) {
  EXPECT_EQ(depth(tree()), 3);
  EXPECT_EQ(label_count(tree()), 5);
  EXPECT_EQ(depth({}), 0);
  EXPECT_EQ(label_count({}), 0);
}

TEST(Schema, PathIsWrittenWithSlashes) {
  EXPECT_EQ(path_text({"人物", "出生地"}), "人物/出生地");
}

TEST(Schema, CanonicalFormParsesToTheSameTree) {
  const Schema once = tree();
  EXPECT_EQ(parse_schema(to_json(once)).value().roots, once.roots);
}

}  // namespace
}  // namespace rex::schema
