// An answer does not depend on the order of the schema's keys, on any level.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "property/mini_pipeline.h"

namespace rex {
namespace {

void shuffle(std::vector<schema::Node>& nodes, std::mt19937& random) {
  std::shuffle(nodes.begin(), nodes.end(), random);
  for (schema::Node& node : nodes) shuffle(node.children, random);
}

pipeline::Query shuffled(const pipeline::Query& query, std::mt19937& random) {
  schema::Schema schema = *query.schema;
  shuffle(schema.roots, random);
  pipeline::Query changed = query;
  changed.schema = std::make_shared<const schema::Schema>(std::move(schema));
  return changed;
}

TEST(LabelOrder, EveryOrderOfAFlatSchemaGivesTheSameAnswer) {
  const pipeline::Query query = make_query("北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。",
                                           R"(["人物","地理位置","组织机构"])");
  schema::Schema schema = *query.schema;
  const auto by_label = [](const schema::Node& a, const schema::Node& b) {
    return a.label < b.label;
  };
  std::sort(schema.roots.begin(), schema.roots.end(), by_label);
  std::vector<pipeline::Query> orders;
  do {
    orders.push_back(query);
    orders.back().schema = std::make_shared<const schema::Schema>(schema);
  } while (std::next_permutation(schema.roots.begin(), schema.roots.end(), by_label));
  ASSERT_EQ(orders.size(), 6U);
  const auto results = mini_pipeline().analyze(orders);
  ASSERT_TRUE(results[0]);
  EXPECT_FALSE(results[0]->chains.empty());
  for (const auto& result : results) EXPECT_EQ(shown(result), shown(results[0]));
}

TEST(LabelOrder, RandomOrdersOnEveryLevelGiveTheSameAnswer) {
  std::mt19937 random(7);
  const std::vector<pipeline::Query> queries = mixed_queries();
  const auto expected = mini_pipeline().analyze(queries);
  for (int round = 0; round < 3; ++round) {
    std::vector<pipeline::Query> changed;
    for (const pipeline::Query& query : queries) changed.push_back(shuffled(query, random));
    const auto results = mini_pipeline().analyze(changed);
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(shown(results[i]), shown(expected[i])) << i;
  }
}

}  // namespace
}  // namespace rex
