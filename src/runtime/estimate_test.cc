#include "runtime/estimate.h"

#include <gtest/gtest.h>

namespace rex::runtime {
namespace {

tasks::TaskRequest request_of(const std::string& body) {
  auto request = tasks::read_request(*parse_json(body));
  EXPECT_TRUE(request) << request.error().to_string();
  return *std::move(request);
}

TEST(Estimate, CountsLabelsInEveryForm) {
  EXPECT_EQ(size_of(request_of(R"({"task":"ner","labels":["a","b"]})")).labels, 2);
  EXPECT_EQ(size_of(request_of(R"({"task":"ner","schema":{"a":null,"b":{"c":null}}})")).labels, 3);
  EXPECT_EQ(size_of(request_of(R"({"task":"ner","schema":{"a":["b","c"]}})")).labels, 3);
  EXPECT_EQ(size_of(request_of(R"({"task":"ner","schema":["a","b"]})")).labels, 2);
  EXPECT_EQ(size_of(request_of(R"({"task":"sentiment"})")).labels, 1);
}

TEST(Estimate, GrowsWithTextAndLabels) {
  const auto small =
      planned_bytes(size_of(request_of(R"({"task":"ner","labels":["a"],"text":"x"})")));
  auto large = request_of(R"({"task":"ner","labels":["a"]})");
  large.text.assign(100'000, 'x');
  const auto long_text = planned_bytes(size_of(large));
  large.labels.assign(1000, "label");
  EXPECT_GT(long_text, 100 * small);
  EXPECT_GT(planned_bytes(size_of(large)), 2 * long_text);
}

TEST(Estimate, TheLegacyRuleIsABaseAndAnAmountForEachLabel) {
  const RequestSize size{.labels = 5};
  EXPECT_EQ(legacy_bytes(size, 120, 8), int64_t{160} << 20);
}

}  // namespace
}  // namespace rex::runtime
