#include "eval/formats/document.h"

#include "support/format_samples.h"

namespace rex::eval::formats {
namespace {

constexpr const char* kText = "😀何雨柱担任青禾银行总经理。";
const Entity kPerson{"人物", 1, 4}, kBank{"组织机构", 6, 10};

std::vector<ItemList> chains(Document document) {
  return chains_of(document, text::CharText::make(kText).value());
}

TEST(Document, RelationsNameTheObjectsType) {
  const auto lists = chains({"", kText, {kPerson, kBank}, {{1, 0, "高管"}}, {}, {}});
  EXPECT_EQ(lists, (std::vector<ItemList>{
                       {{"人物", "何雨柱", 1, 4}},
                       {{"组织机构", "青禾银行", 6, 10}, {"高管(人物)", "何雨柱", 1, 4}}}));
}

TEST(Document, ARoleAloneIsNoEntity) {
  const auto lists = chains({"", kText, {{"高管(人物)", 1, 4}, kBank}, {{1, 0, "高管"}}, {}, {}});
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_EQ(lists[0][1].type, "高管(人物)");
}

TEST(Document, ArgumentsAreLabelledByTheirRole) {
  const auto lists = chains({"", kText, {kPerson, kBank}, {{1, 0, "就职者", true}}, {}, {}});
  ASSERT_EQ(lists.size(), 2U);
  EXPECT_EQ(lists[1][1].type, "就职者");
}

TEST(Document, WhatDoesNotComeBackIsLost) {
  const Item a{"a", "", 0, 1}, b{"b", "", 1, 2}, c{"c", "", 2, 3};
  Batch batch;
  (void)document_of({{a}, {a, b}}, "line 1 ", batch);  // F8: [a] begins [a, b]
  EXPECT_TRUE(batch.lost.empty());
  (void)document_of({{a}, {a, b, c}, {b}, {c, b}}, "line 2 ", batch);
  ASSERT_EQ(batch.lost.size(), 2U);
  EXPECT_EQ(batch.lost[0].place, "line 2 /info_list/1");
  EXPECT_EQ(batch.lost[0].message, "a chain of 3 items; two is the most");
  EXPECT_EQ(batch.lost[1].place, "line 2 /info_list/2");
}

TEST(Document, EntitiesLieInTheText) {
  const auto text = text::CharText::make(kText).value();
  for (const auto& [start, end] : {std::pair(-1, 2), {3, 3}, {4, 2}, {0, 99}}) {
    EXPECT_EQ(make_entity("人物", start, end, text, "/x").error().place, "/x") << start;
  }
  EXPECT_FALSE(make_entity("", 0, 1, text, ""));
}

TEST(Native, LinesComeBack) {
  const std::string both = std::string(kSpans) + kClassLines;
  Batch batch = read_native(both);
  EXPECT_TRUE(batch.bad.empty());
  EXPECT_TRUE(batch.lost.empty());
  expect_same_samples(write_native(batch, {}).value(), both);
}

TEST(Native, BadLinesAreNumbered) {
  const Batch batch = read_native(std::string(kSpans) + "\n{\"text\": 3}\n{\n");
  EXPECT_EQ(batch.documents.size(), 4U);
  ASSERT_EQ(batch.bad.size(), 2U);
  EXPECT_EQ(batch.bad[0].place, "line 6 /text");
  EXPECT_TRUE(batch.bad[1].place.starts_with("line 7 "));
}

TEST(Native, SchemaIsTheFilesOrTheGivenOne) {
  Batch batch = read_native(kSpans);
  const std::string own = write_native(batch, {}).value();
  const Json first = parse_json(own.substr(0, own.find('\n'))).value();
  EXPECT_EQ(
      first["schema"].dump(),
      R"json({"组织机构":{"高管(人物)":null},"人物":null,"降息(事件触发词)":{"机构":null,"时间":null}})json");
  NativeOptions options;
  options.schema = Json{{"人物", nullptr}};
  EXPECT_EQ(native_samples(write_native(batch, options).value()).size(), 1U);
  EXPECT_EQ(batch.bad.size(), 3U);
  EXPECT_EQ(batch.bad[0].place, "line 1 ");
  EXPECT_EQ(batch.bad[0].message,
            "the schema does not have 组织机构/高管(人物); add it to --schema");
  Batch empty;
  empty.documents.push_back({"1", "甲", {}, {}, {}, {}});
  EXPECT_EQ(write_native(empty, {}).error().code, ErrorCode::kSchemaEmpty);
}

TEST(Native, EntitiesAndClassesAreTwoLines) {
  Batch batch;
  batch.documents.push_back({"1", kText, {kPerson}, {}, {{"财经"}}, {}});
  const auto samples = native_samples(write_native(batch, {}).value());
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[1].id, "1-classes");
  EXPECT_EQ(samples[1].query.kind, pipeline::TextKind::kSingleLabel);
}

std::vector<std::string> warnings_of(const std::string& lines) {
  std::vector<std::string> codes;
  for (const Warning& warning : read_native(lines).warnings)
    codes.push_back(warning.code + " " + warning.message.substr(0, 2));
  return codes;
}

TEST(Native, SchemasAndMarkersThatDoNotComeBackAreTold) {
  const std::string one =
      R"json({"text": "甲乙", "schema": {"a": null, "b": null}, "info_list": [[{"type": "a", "span": "甲", "offset": [0, 1]}]]}
)json";
  const std::string other =
      R"json({"text": "甲乙", "schema": {"b": null, "a": null}, "info_list": [[{"type": "b", "span": "乙", "offset": [1, 2]}]]}
)json";
  const std::string narrow =
      R"json({"text": "甲乙", "schema": {"b": null}, "info_list": [], "legal_output_type_list": [["b"]]}
)json";
  const std::string single =
      R"json({"text": "[CLASSIFY]甲", "schema": {"财经": null}, "info_list": [[{"type": "财经", "span": "[CLASSIFY]", "offset": [0, 10]}]]}
)json";
  using Codes = std::vector<std::string>;
  EXPECT_EQ(warnings_of(one + other), Codes{});              // the order of labels is no difference
  EXPECT_EQ(warnings_of(one), Codes{"SCHEMA_NOT_KEPT 1 "});  // b is nobody's label
  EXPECT_EQ(warnings_of(one + other + narrow),
            (Codes{"SCHEMA_NOT_KEPT 1 ", "LEGAL_PATHS_NOT_KEPT 1 "}));
  EXPECT_EQ(warnings_of(single), Codes{});
  EXPECT_EQ(warnings_of(kClassLines), Codes{});
  EXPECT_EQ(warnings_of(single + kClassLines), (Codes{"SCHEMA_NOT_KEPT 1 ", "MARKER_NOT_KEPT 1 "}));
}

TEST(Native, PlacesAreThoseOfTheSource) {
  Batch batch;
  batch.add(Document{"1", kText, {kPerson}, {}, {{"财经"}}, {}}, "x.ann ");
  batch.add(Document{"2", kText, {kBank}, {}, {}, {}}, "task 7");
  ASSERT_TRUE(through_native(batch, {}));
  ASSERT_EQ(batch.documents.size(), 3U);
  EXPECT_EQ(batch.documents[0].kind, pipeline::TextKind::kExtraction);
  EXPECT_EQ(batch.documents[1].id, "1-classes");
  EXPECT_EQ(place_of(batch.documents[1]), "x.ann ");
  EXPECT_EQ(place_of(batch.documents[2]), "task 7 ");
  EXPECT_EQ(place_of({"5", "甲", {}, {}, {}, {}}), "record 5 ");
}

}  // namespace
}  // namespace rex::eval::formats
