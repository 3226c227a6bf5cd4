#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/schema.h"

namespace rex::schema {
namespace {

Schema parsed(std::string_view text, const ParseOptions& options = {}) {
  auto schema = parse_schema_text(text, options);
  EXPECT_TRUE(schema) << text << ": " << (schema ? "" : schema.error().to_string());
  return schema ? *std::move(schema) : Schema{};
}

std::string canonical(std::string_view text) {
  return to_json(parsed(text)).dump();
}

std::vector<std::string> warning_codes(const Schema& schema) {
  std::vector<std::string> codes;
  for (const Warning& warning : schema.warnings) codes.push_back(warning.code);
  return codes;
}

struct Fault {
  ErrorCode code;
  std::string place;
};

Fault fault(std::string_view text, const ParseOptions& options = {}) {
  const auto schema = parse_schema_text(text, options);
  EXPECT_FALSE(schema) << text << " was accepted";
  return schema ? Fault{} : Fault{schema.error().code, schema.error().place};
}

void expect_fault(std::string_view text, ErrorCode code, std::string_view place) {
  const Fault found = fault(text);
  EXPECT_EQ(found.code, code) << text << " gave " << row_of(found.code).name;
  EXPECT_EQ(found.place, place) << text;
}

TEST(ParseSchema, EveryAcceptedFormHasOneCanonicalTree) {
  const std::pair<const char*, const char*> forms[] = {
      {R"({"人物": null})", R"({"人物":null})"},
      {R"(["人物", "组织机构"])", R"({"人物":null,"组织机构":null})"},
      {R"("人物")", R"({"人物":null})"},
      {"人物", R"({"人物":null})"},
      {R"("{\"人物\": null}")", R"({"人物":null})"},
      {R"("[\"人物\"]")", R"({"人物":null})"},
      {R"({"竞赛名称": ["主办方", "承办方"]})", R"({"竞赛名称":{"主办方":null,"承办方":null}})"},
      {R"([{"原告": "委托代理人"}, "法院"])", R"({"原告":{"委托代理人":null},"法院":null})"},
      {R"([{"原告": ["代理人", {"地址": "省"}]}])",
       R"({"原告":{"代理人":null,"地址":{"省":null}}})"},
      {R"J({"组织机构": {"董事长(人物)": {"出生地": null}}})J",
       R"J({"组织机构":{"董事长(人物)":{"出生地":null}}})J"},
      {R"({"b": null, "a": null})", R"({"b":null,"a":null})"},
  };
  for (const auto& [form, tree] : forms) {
    EXPECT_EQ(canonical(form), tree) << form;
    EXPECT_THAT(warning_codes(parsed(form)), testing::IsEmpty()) << form;
  }
}

TEST(ParseSchema, EmptyValuesAreLeavesWithAWarning) {
  for (const char* form : {R"({"人物": ""})", R"({"人物": []})", R"({"人物": {}})"}) {
    const Schema schema = parsed(form);
    EXPECT_EQ(to_json(schema).dump(), R"({"人物":null})");
    EXPECT_THAT(warning_codes(schema), testing::ElementsAre("SCHEMA_VALUE_NORMALISED"));
    EXPECT_EQ(schema.warnings[0].place, "/人物");
  }
}

TEST(ParseSchema, RepeatedListItemsMergeWithAWarning) {
  const Schema schema = parsed(R"(["人物", {"人物": ["籍贯"]}, "人物 "])");
  EXPECT_EQ(to_json(schema).dump(), R"({"人物":{"籍贯":null}})");
  EXPECT_THAT(warning_codes(schema),
              testing::ElementsAre("LABEL_DUPLICATE", "LABEL_TRIMMED", "LABEL_DUPLICATE"));
  EXPECT_EQ(schema.warnings[0].place, "/1/人物");
}

TEST(ParseSchema, TypeNameIsIgnoredWithAWarningAndRefusedWhenStrict) {
  const char* form = R"({"产品发布": {"发布者": "组织机构"}})";
  const Schema schema = parsed(form);
  EXPECT_EQ(to_json(schema).dump(), R"({"产品发布":{"发布者":null}})");
  EXPECT_THAT(warning_codes(schema), testing::ElementsAre("SCHEMA_TYPE_HINT_IGNORED"));
  EXPECT_EQ(schema.warnings[0].place, "/产品发布/发布者");

  const Fault found = fault(form, {.strict = true});
  EXPECT_EQ(found.code, ErrorCode::kSchemaBadValue);
  EXPECT_EQ(found.place, "/产品发布/发布者");
}

TEST(ParseSchema, TypeNameDeeperInAListItemIsNoChild) {
  EXPECT_EQ(canonical(R"([{"原告": {"代理人": "人物"}}])"), R"({"原告":{"代理人":null}})");
}

TEST(ParseSchema, LabelsLoseSurroundingWhiteSpace) {  // Q11
  const Schema schema = parsed("{\" 人物\\u3000\": {\"\\t地 点\\u00a0\": null}}");
  EXPECT_EQ(to_json(schema).dump(), R"({"人物":{"地 点":null}})");
  EXPECT_THAT(warning_codes(schema), testing::ElementsAre("LABEL_TRIMMED", "LABEL_TRIMMED"));
}

TEST(ParseSchema, BadValuesAreNamedByPointer) {
  using enum ErrorCode;
  expect_fault("42", kSchemaBadValue, "");
  expect_fault("null", kSchemaBadValue, "");
  expect_fault("true", kSchemaBadValue, "");
  expect_fault(R"({"人物": 3})", kSchemaBadValue, "/人物");
  expect_fault(R"({"人物": false})", kSchemaBadValue, "/人物");
  expect_fault(R"([["人物"]])", kSchemaBadValue, "/0");
  expect_fault(R"(["人物", 7])", kSchemaBadValue, "/1");
  expect_fault(R"(["人物", null])", kSchemaBadValue, "/1");
  expect_fault(R"(["人物", {}])", kSchemaBadValue, "/1");
  expect_fault(R"({"a/b": {"c~d": [1]}})", kSchemaBadValue, "/a~1b/c~0d/0");
}

TEST(ParseSchema, EmptySchemasAreRefused) {
  using enum ErrorCode;
  for (const char* form :
       {"", "  \n", "{}", "[]", R"("")", R"("  ")", R"("{}")", R"({"$defs": {}})"}) {
    expect_fault(form, kSchemaEmpty, "");
  }
}

TEST(ParseSchema, EmptyLabelsAreRefused) {
  using enum ErrorCode;
  expect_fault(R"({"": null})", kLabelEmpty, "/");
  expect_fault(R"({"人物": ["籍贯", "\u3000"]})", kLabelEmpty, "/人物/1");
}

TEST(ParseSchema, RepeatedKeysAreRefused) {
  using enum ErrorCode;
  expect_fault(R"({"a": {"人物": null, "人物": null}})", kSchemaDuplicateKey, "/a/人物");
  expect_fault(R"({"人物": null, " 人物": null})", kSchemaDuplicateKey, "/ 人物");
}

std::string nested(int depth) {
  std::string open, close;
  for (int i = 0; i < depth; ++i) open += "{\"层\":", close += '}';
  return open + "null" + close;
}

TEST(ParseSchema, DepthIsBounded) {
  EXPECT_EQ(depth(parsed(nested(6))), 6);
  expect_fault(nested(7), ErrorCode::kSchemaTooDeep, "/层/层/层/层/层/层/层");
  EXPECT_EQ(fault(nested(50)).code, ErrorCode::kSchemaTooDeep);
  EXPECT_EQ(fault(nested(5000)).code, ErrorCode::kSchemaTooDeep);
}

TEST(ParseSchema, LabelCountIsBounded) {
  Json labels = Json::array();
  for (int i = 0; i < 2000; ++i) labels.push_back("类" + std::to_string(i));
  const auto schema = parse_schema(labels);
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().code, ErrorCode::kTooManyLabels);
  EXPECT_EQ(schema.error().place, "/1000");
  labels.erase(labels.begin() + 1000, labels.end());
  EXPECT_EQ(label_count(parse_schema(labels).value()), 1000);
}

TEST(ParseSchema, LabelLengthIsBoundedInChars) {
  std::string label;
  for (int i = 0; i < kMaxLabelChars; ++i) label += "长";
  EXPECT_TRUE(parse_schema(Json::array({label})));
  const auto schema = parse_schema(Json::array({"人物", label + "长"}));
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error().code, ErrorCode::kLabelTooLong);
  EXPECT_EQ(schema.error().place, "/1");
}

TEST(ParseSchema, BrokenTextIsAnError) {
  using enum ErrorCode;
  EXPECT_EQ(fault(R"({"人物": null)").code, kJsonInvalid);
  EXPECT_EQ(fault(R"("人物)").code, kJsonInvalid);
  EXPECT_EQ(fault(R"({"\ud800": null})").code, kJsonInvalid);
  EXPECT_EQ(fault("{\"\xff\": null}").code, kEncodingInvalid);
  EXPECT_EQ(fault("人\xff物").code, kEncodingInvalid);
}

TEST(ParseSchema, NulIsAnOrdinaryCharOfALabel) {
  const Schema schema = parsed("{\"a\\u0000b\": null}");
  EXPECT_EQ(schema.roots[0].label, std::string("a\0b", 3));
}

constexpr ParseOptions kReference{.reference = true};

TEST(ReferenceReading, AcceptsTheEmptySchema) {  // Q25
  EXPECT_TRUE(parsed("{}", kReference).roots.empty());
}

TEST(ReferenceReading, FalsyLeavesActAsNull) {  // Q25
  const Schema schema =
      parsed(R"({"a": false, "b": 0, "c": "", "d": [], "e": {}, "f": 0.0})", kReference);
  EXPECT_EQ(to_json(schema).dump(), R"({"a":null,"b":null,"c":null,"d":null,"e":null,"f":null})");
}

TEST(ReferenceReading, OtherValuesAreErrors) {  // Q25
  for (const char* form :
       {"null", R"(["a"])", R"({"a": "b"})", R"({"a": 1})", R"({"a": ["b"]})", R"({"a": true})"}) {
    EXPECT_EQ(fault(form, kReference).code, ErrorCode::kSchemaBadValue) << form;
  }
}

TEST(ReferenceReading, LabelsStayRaw) {  // Q11, Q26
  const Schema schema = parsed(R"({" 人物 ": {"": null}, "$ref": null})", kReference);
  EXPECT_EQ(to_json(schema).dump(), R"({" 人物 ":{"":null},"$ref":null})");
}

TEST(ReferenceReading, TheLastOfEqualKeysWins) {  // P1
  EXPECT_EQ(to_json(parsed(R"({"a": null, "b": null, "a": {"c": null}})", kReference)).dump(),
            R"({"a":{"c":null},"b":null})");
}

TEST(ReferenceReading, ParsesJsonInAString) {  // P1
  EXPECT_EQ(to_json(parsed(R"("{\"a\": null}")", kReference)).dump(), R"({"a":null})");
}

}  // namespace
}  // namespace rex::schema
