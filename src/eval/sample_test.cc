#include "eval/sample.h"

#include <gtest/gtest.h>

namespace rex::eval {
namespace {

using pipeline::TextKind;

Result<Sample> read(std::string_view line, const pipeline::QueryOptions& options = {}) {
  REX_TRY(json, parse_json(line));
  return read_sample(json, options);
}

constexpr const char* kClassLine =
    R"({"id": "7", "text": "[CLASSIFY]股市大涨", "schema": {"财经": null, "体育": null},
        "info_list": [[{"type": "财经", "span": "[CLASSIFY]", "offset": [0, 10]}]]})";

TEST(Sample, ReadsAnExtractionLine) {  // F1, F2
  const Sample sample = read(R"({"text": "😀张三说", "schema": {"人物": null},
                                 "info_list": [[{"type": "人物", "span": "张三", "offset": [1, 3]}]]})")
                            .value();
  EXPECT_EQ(sample.query.kind, TextKind::kExtraction);
  EXPECT_EQ(sample.gold, (std::vector<ItemList>{{{"人物", "张三", 1, 3}}}));
}

TEST(Sample, MarkersChooseTheKindAndStayForTheReferenceOnly) {  // F3
  const Sample standard = read(kClassLine).value();
  EXPECT_EQ(standard.query.kind, TextKind::kSingleLabel);
  EXPECT_EQ(standard.query.text, "股市大涨");
  EXPECT_EQ(standard.id, "7");
  pipeline::QueryOptions as_reference;
  as_reference.behaviour = pipeline::Behaviour::kReference;
  const Sample reference = read(kClassLine, as_reference).value();
  EXPECT_EQ(reference.query.text, "[CLASSIFY]股市大涨");
}

TEST(Sample, ClassAnswersCompareWithTheirMarker) {  // D25
  pipeline::Answer answer;
  answer.chains = {{{"财经", "", -1, -1, 0.9}}};
  EXPECT_EQ(lists_of(answer, TextKind::kSingleLabel), read(kClassLine)->gold);
  EXPECT_EQ(lists_of(answer, TextKind::kMultiLabel)[0][0].end, 15);
}

TEST(Sample, MissingSchemaIsDerived) {  // F4
  const Sample sample = read(R"({"text": "甲乙", "info_list": [
      [{"type": "a", "span": "甲", "offset": [0, 1]}, {"type": "b", "span": "乙", "offset": [1, 2]}],
      [{"type": "c", "span": "甲", "offset": [0, 1]}]]})")
                            .value();
  EXPECT_EQ(schema::to_json(*sample.query.schema).dump(), R"({"a":{"b":null},"c":null})");
}

TEST(Sample, BadLinesAreNamedByPointer) {  // Q32
  const auto place = [](std::string_view line) { return read(line).error().place; };
  EXPECT_EQ(place(R"({"info_list": []})"), "/text");
  EXPECT_EQ(place(R"({"text": "甲"})"), "/info_list");
  EXPECT_EQ(place(R"({"text": "甲", "schema": {"a": 3}, "info_list": []})"), "/schema/a");
  EXPECT_EQ(place(R"({"text": "甲", "info_list": [[{"type": "a"}]]})"), "/info_list/0/0");
  const auto error =
      read(R"({"text": "甲乙", "info_list": [[{"type": "a", "span": "甲", "offset": [1, 2]}]]})")
          .error();
  EXPECT_EQ(error.code, ErrorCode::kSampleInvalid);
  EXPECT_EQ(error.place, "/info_list/0/0");
  EXPECT_EQ(read(R"({"text": "甲", "info_list": []})").error().code, ErrorCode::kSchemaEmpty);
}

}  // namespace
}  // namespace rex::eval
