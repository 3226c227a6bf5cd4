#include "eval/formats/label_studio.h"

#include "support/format_samples.h"

namespace rex::eval::formats {
namespace {

// One task with one result after another.
std::string task(const std::string& text, const std::string& results) {
  return R"({"id": 7, "data": {"text": ")" + text + R"("}, "annotations": [{"result": [)" +
         results + "]}]}";
}

std::string region(int start, int end, const std::string& words) {
  return R"({"id": "r)" + std::to_string(start) + R"(", "type": "labels", "value": {"start": )" +
         std::to_string(start) + R"(, "end": )" + std::to_string(end) + R"(, "text": ")" + words +
         R"(", "labels": ["a"]}})";
}

TEST(LabelStudio, ReadsAnExport) {
  Batch batch = read_label_studio(sample_file("label_studio.json")).value();
  EXPECT_TRUE(batch.bad.empty());
  EXPECT_TRUE(batch.lost.empty());
  EXPECT_EQ(batch.unlabelled, 1);
  const auto samples = native_samples(write_native(batch, {}).value());
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(
      samples[0].gold,
      (std::vector<ItemList>{{{"人物", "何雨柱", 1, 4}},
                             {{"组织机构", "青禾银行", 6, 10}, {"高管(人物)", "何雨柱", 1, 4}}}));
  EXPECT_EQ(samples[1].id, "43");
  EXPECT_EQ(samples[1].query.kind, pipeline::TextKind::kSingleLabel);
}

TEST(LabelStudio, TextTellsTheUnitOfOffsets) {
  const auto first = [](const std::string& json) {
    return read_label_studio("[" + json + "]").value().documents.at(0).entities.at(0);
  };
  EXPECT_EQ(first(task("😀甲乙丙", region(2, 3, "乙"))).start, 2);  // chars
  EXPECT_EQ(first(task("😀甲乙丙", region(3, 4, "乙"))).start, 2);  // UTF-16
  EXPECT_EQ(first(task("😀甲甲乙", region(2, 3, "甲"))).start, 2);  // both; chars first
  // Both, and another region of the file counts in UTF-16.
  EXPECT_EQ(first(task("😀甲甲乙", region(2, 3, "甲") + "," + region(4, 5, "乙"))).start, 1);
}

TEST(LabelStudio, BadResultsAreNamed) {
  const auto bad = [](const std::string& results) {
    const Batch batch = read_label_studio("[" + task("😀甲乙", results) + "]").value();
    return batch.bad.size() == 1 ? batch.bad[0].place : "none";
  };
  EXPECT_EQ(bad(region(1, 2, "乙")), "task 7 result r1");
  EXPECT_EQ(bad(region(1, 9, "乙")), "task 7 result r1");
  EXPECT_EQ(
      bad(R"({"id": "x", "type": "labels", "value": {"start": 2, "end": 3, "labels": ["a"]}})"),
      "task 7 result x");  // no text, two readings
  EXPECT_EQ(bad(R"({"type": "labels", "value": {}})"), "task 7 result number 1 /value/start");
  EXPECT_EQ(bad(R"({"type": "relation", "from_id": "x", "to_id": "y", "labels": ["r"]})"),
            "task 7 result number 1 /from_id");
  EXPECT_EQ(bad(R"({"id": "c", "type": "choices", "value": {"choices": [3.5]}})"),
            "task 7 result c /value/choices");
  EXPECT_EQ(read_label_studio("{}").error().code, ErrorCode::kSampleInvalid);
  EXPECT_EQ(read_label_studio("[{\"id\": 1, \"data\": {}}, 3]").value().bad[0].place,
            "task number 2");
}

TEST(LabelStudio, OtherExportsAreNotTakenForUnlabelledOnes) {
  const Batch batch = read_label_studio(R"([{"id": 1, "text": "甲", "label": []}])").value();
  EXPECT_EQ(batch.unlabelled, 0);
  ASSERT_EQ(batch.bad.size(), 1U);
  EXPECT_NE(batch.bad[0].message.find("JSON-MIN"), std::string::npos);
}

TEST(LabelStudio, BrokenJsonHasItsLine) {
  const Error error = read_label_studio("[\n{\"id\": 1},\n{\"id\": }\n]").error();
  EXPECT_EQ(error.code, ErrorCode::kJsonInvalid);
  EXPECT_EQ(error.place, "line 3, byte 21");
}

TEST(LabelStudio, WhatHasNoPlaceIsLost) {
  const std::string results = region(1, 2, "甲") + "," + region(2, 3, "乙") + R"(,
      {"id": "n", "type": "textarea", "value": {"text": ["?"]}},
      {"id": "p", "type": "choices", "value": {"start": 1, "end": 2, "choices": ["x"]}},
      {"type": "relation", "from_id": "r1", "to_id": "r2", "direction": "right"})";
  const Batch batch = read_label_studio("[" + task("😀甲乙", results) + "]").value();
  ASSERT_EQ(batch.lost.size(), 3U);
  EXPECT_EQ(batch.lost[0].place, "task 7 result n");
  EXPECT_EQ(batch.lost[1].message, "choices of a region");
  EXPECT_EQ(batch.documents[0].entities.size(), 2U);
}

TEST(LabelStudio, GroundTruthBeforeTheFirst) {
  const Batch batch = read_label_studio(R"([{"id": 1, "data": {"text": "甲"}, "annotations": [
      {"result": []},
      {"ground_truth": true, "result": [{"type": "choices", "value": {"choices": ["a"]}}]},
      {"was_cancelled": true, "result": []}]}])")
                          .value();
  EXPECT_EQ(batch.documents[0].classes.size(), 1U);
  EXPECT_EQ(batch.lost.size(), 1U);
}

TEST(LabelStudio, DirectionOfRelations) {
  const auto relations = [](const std::string& direction) {
    return read_label_studio("[" +
                             task("甲乙", region(0, 1, "甲") + "," + region(1, 2, "乙") +
                                              R"(,{"type": "relation", "from_id": "r0", )" +
                                              R"("to_id": "r1", "labels": ["r"], "direction": ")" +
                                              direction + "\"}") +
                             "]")
        .value()
        .documents.at(0)
        .relations;
  };
  EXPECT_EQ(relations("right").at(0).from, 0U);
  EXPECT_EQ(relations("left").at(0).from, 1U);
  EXPECT_EQ(relations("bi").size(), 2U);
}

TEST(LabelStudio, NativeLinesComeBack) {
  constexpr const char* kPath =
      R"json({"id": "g", "text": "[CLASSIFY]😀不想动", "schema": {"学业": {"拖延": null}}, "info_list": [[{"type": "学业", "span": "[CLASSIFY]", "offset": [0, 10]}, {"type": "拖延", "span": "[CLASSIFY]", "offset": [0, 10]}]]}
)json";
  for (const std::string& lines :
       {std::string(kSpans), std::string(kClassLines), std::string(kPath)}) {
    Batch batch = read_native(lines);
    Batch back = read_label_studio(write_label_studio(batch)).value();
    EXPECT_TRUE(back.bad.empty());
    EXPECT_TRUE(back.lost.empty());
    expect_same_samples(write_native(back, {}).value(), lines);
  }
}

}  // namespace
}  // namespace rex::eval::formats
