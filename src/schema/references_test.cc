#include "schema/references.h"

#include <gtest/gtest.h>

#include "schema/schema.h"

namespace rex::schema {
namespace {

std::string canonical(std::string_view text) {
  const auto schema = parse_schema_text(text);
  EXPECT_TRUE(schema) << (schema ? "" : schema.error().to_string());
  return schema ? to_json(*schema).dump() : "";
}

void expect_reference_fault(std::string_view text, std::string_view place) {
  const auto schema = parse_schema_text(text);
  ASSERT_FALSE(schema) << text << " was accepted";
  EXPECT_EQ(schema.error().code, ErrorCode::kSchemaRef) << schema.error().to_string();
  EXPECT_EQ(schema.error().place, place);
}

std::string name(int i) {
  return std::to_string(i);
}
Json refer_to(int i) {
  return {{"$ref", std::string("#/$defs/").append(name(i))}};
}

TEST(References, ExpandWhereverLabelsMayStand) {
  const char* defs = R"("$defs": {"地址": ["省", "市"], "a/b": {"x": null}})";
  EXPECT_EQ(canonical(std::string(R"({"住址": {"$ref": "#/$defs/地址"}, )") + defs + "}"),
            R"({"住址":{"省":null,"市":null}})");
  EXPECT_EQ(canonical(std::string(R"({"住址": {"$ref": "#/defs/地址"}, )") + defs + "}"),
            R"({"住址":{"省":null,"市":null}})");
  EXPECT_EQ(canonical(std::string(R"({"甲": [{"$ref": "#/$defs/a~1b"}, "乙"], )") + defs + "}"),
            R"({"甲":{"x":null,"乙":null}})");
  EXPECT_EQ(canonical(std::string(R"({"$ref": "#/$defs/地址", )") + defs + "}"),
            R"({"省":null,"市":null})");
}

TEST(References, MayUseOtherReferences) {
  EXPECT_EQ(canonical(R"({"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/y"},
                          "$defs": {"x": {"c": {"$ref": "#/$defs/y"}}, "y": ["d"]}})"),
            R"({"a":{"c":{"d":null}},"b":{"d":null}})");
}

TEST(References, CirclesAreRefused) {
  expect_reference_fault(
      R"({"a": {"$ref": "#/$defs/x"}, "$defs": {"x": {"b": {"$ref": "#/$defs/x"}}}})", "/a/b/$ref");
  expect_reference_fault(R"({"a": {"$ref": "#/$defs/x"}, "$defs": {"x": {"$ref": "#/$defs/x"}}})",
                         "/a/$ref");
}

TEST(References, MisfitsAreRefused) {
  expect_reference_fault(R"({"a": {"$ref": "#/$defs/x"}})", "/a/$ref");
  expect_reference_fault(R"({"a": {"$ref": "other.json"}, "$defs": {"x": null}})", "/a/$ref");
  expect_reference_fault(R"({"a": {"$ref": 3}, "$defs": {"x": null}})", "/a/$ref");
  expect_reference_fault(R"({"a": {"$ref": "#/$defs/x", "b": null}, "$defs": {"x": null}})",
                         "/a/$ref");
  expect_reference_fault(R"({"a": {"$defs": {"x": null}}})", "/a/$defs");
  expect_reference_fault(R"(["$ref"])", "/0");
}

TEST(References, LongChainsAreRefusedWithoutDeepRecursion) {
  Json defs = Json::object();
  for (int i = 0; i < 900; ++i) {
    defs[name(i)] = refer_to(i + 1);
  }
  const auto schema = parse_schema({{"a", refer_to(0)}, {"$defs", defs}});
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().code, ErrorCode::kSchemaRef);
}

TEST(References, DoublingDefinitionsMeetTheLabelLimit) {
  Json defs = {{"0", Json::array({"x", "y"})}};
  for (int i = 1; i < 40; ++i) defs[name(i)] = Json::array({refer_to(i - 1), refer_to(i - 1)});
  const auto schema = parse_schema({{"a", refer_to(39)}, {"$defs", defs}});
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().code, ErrorCode::kTooManyLabels);
}

}  // namespace
}  // namespace rex::schema
