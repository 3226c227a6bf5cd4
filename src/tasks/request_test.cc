#include "tasks/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rex::tasks {
namespace {

Result<TaskRequest> read(std::string_view body, const TaskRequest& defaults = {}) {
  REX_TRY(json, parse_json(body));
  return read_request(json, defaults);
}

void expect_error(std::string_view body, ErrorCode code, std::string_view place) {
  const auto request = read(body);
  ASSERT_FALSE(request) << body << " was accepted";
  EXPECT_EQ(row_of(request.error().code).name, row_of(code).name) << body;
  EXPECT_EQ(request.error().place, place) << body;
}

TEST(ReadRequest, TakesTheCommonFieldsAndTheirAliases) {
  const auto request =
      read(R"({"task": "ner", "input": "文", "entity_types": ["人物"], "id": 7})").value();
  EXPECT_EQ(request.task->id, TaskId::kNer);
  EXPECT_EQ(request.text, "文");
  EXPECT_EQ(request.labels, std::vector<std::string>{"人物"});
  EXPECT_EQ(request.id, Json(7));
  EXPECT_EQ(*read(R"({"task": "ner", "extraction_schema": {"人物": null}})").value().schema,
            Json({{"人物", nullptr}}));
}

TEST(ReadRequest, NamesWhatIsWrong) {
  using enum ErrorCode;
  expect_error("[]", kJsonInvalid, "");
  expect_error(R"({"text": "文"})", kTaskUnknown, "/task");
  expect_error(R"({"task": "x"})", kTaskUnknown, "/task");
  expect_error(R"({"task": "ner", "text": 5})", kTextNotString, "/text");
  expect_error(R"({"task": "ner", "text": "a", "input": "b"})", kFieldConflict, "/input");
  expect_error(R"({"task": "ner", "schema": {}, "labels": ["a"]})", kFieldConflict, "/labels");
  expect_error(R"({"task": "ner", "labels": "a"})", kOptionType, "/labels");
  expect_error(R"({"task": "ner", "labels": ["a", 3]})", kOptionType, "/labels/1");
  expect_error(R"({"task": "ner", "labels": []})", kSchemaEmpty, "/labels");
  expect_error(R"({"task": "ner", "txt": "a", "strict": true})", kFieldUnknown, "/txt");
  expect_error(R"({"task": "ner", "options": 3})", kOptionType, "/options");
  expect_error(R"({"task": "ner", "options": {"threshold": "x"}})", kOptionType,
               "/options/threshold");
  expect_error(R"({"task": "ner", "options": {"threshold": 1.5}})", kOptionRange,
               "/options/threshold");
  expect_error(R"({"task": "ner", "options": {"max_length": 8}})", kOptionRange,
               "/options/max_length");
  expect_error(R"({"task": "ner", "options": {"max_length": 64.5}})", kOptionType,
               "/options/max_length");
  expect_error(R"({"task": "ner", "options": {"stride": -1}})", kOptionRange, "/options/stride");
  expect_error(R"({"task": "ner", "options": {"overlap": "none"}})", kOptionRange,
               "/options/overlap");
  expect_error(R"({"task": "ner", "options": {"allow_empty": 1}})", kOptionType,
               "/options/allow_empty");
  expect_error(R"({"task": "ner", "options": {"thresholds": {"a/b": 2}}})", kOptionRange,
               "/options/thresholds/a~1b");
  expect_error(R"({"task": "tc", "options": {"label_template": "x"}})", kOptionRange,
               "/options/label_template");
}

TEST(ReadRequest, UnknownFieldsAndOptionsAreWarnings) {
  const auto request = read(R"({"task": "ner", "txt": "a", "options": {"beams": 1}})").value();
  ASSERT_EQ(request.warnings.size(), 2U);
  EXPECT_EQ(request.warnings[0].code, "UNKNOWN_FIELD");
  EXPECT_EQ(request.warnings[0].place, "/txt");
  EXPECT_EQ(request.warnings[1].place, "/options/beams");
}

TEST(ReadRequest, OwnFieldsBelongToTheirTask) {
  EXPECT_TRUE(read(R"({"task": "reading", "question": "?"})").value().fields.contains("question"));
  EXPECT_EQ(read(R"({"task": "ner", "question": "?"})").value().warnings.size(), 1U);
}

TEST(ReadRequest, BodyStandsOverDefaults) {
  TaskRequest defaults =
      read(R"({"task": "ner", "labels": ["人物"], "options": {"threshold": 0.7}})").value();
  const auto request =
      read(R"({"text": "文", "schema": ["时间"], "options": {"stride": 8}})", defaults).value();
  EXPECT_EQ(request.task->id, TaskId::kNer);
  EXPECT_TRUE(request.labels.empty());
  EXPECT_EQ(*request.schema, Json({"时间"}));
  EXPECT_EQ(request.options.threshold, 0.7);
  EXPECT_EQ(request.options.query.stride, 8);
}

TEST(ReadRequest, ReadsEveryOption) {
  const auto request = read(R"({"task": "absa", "options": {
      "confidence_threshold": 0.25, "thresholds": {"属性词": 0.3, "属性词/情感词": 0.4},
      "multi_label_threshold": 0.8, "max_span_num": 5, "max_length": 128, "stride": 16,
      "overlap": "longest", "partial_paths": true, "allow_empty": true, "behaviour": "reference",
      "reference_final_step": false, "implicit_aspect": true, "event_suffix": "off", "top_k": 3,
      "min_confidence": 0.2, "coref_max_distance": 40, "label_template": "是{label}"}})")
                           .value();
  EXPECT_THAT(request.warnings, testing::IsEmpty());
  const TaskOptions& o = request.options;
  EXPECT_EQ(o.threshold, 0.25);
  EXPECT_EQ(o.query.thresholds.at("属性词/情感词"), 0.4);
  EXPECT_EQ(o.query.multi_label_threshold, 0.8);
  EXPECT_EQ(o.query.max_span_num, 5);
  EXPECT_EQ(o.query.max_length, 128);
  EXPECT_EQ(o.query.stride, 16);
  EXPECT_EQ(o.query.overlap, pipeline::Overlap::kLongest);
  EXPECT_TRUE(o.query.partial_paths);
  EXPECT_TRUE(o.query.allow_empty);
  EXPECT_EQ(o.query.behaviour, pipeline::Behaviour::kReference);
  EXPECT_FALSE(o.query.reference_final_step);
  EXPECT_TRUE(o.implicit_aspect);
  EXPECT_FALSE(o.event_suffix);
  EXPECT_EQ(o.top_k, 3);
  EXPECT_EQ(o.min_confidence, 0.2);
  EXPECT_EQ(o.coref_max_distance, 40);
  EXPECT_EQ(o.label_template, "是{label}");
}

TEST(ReadRequest, NliIsMatchingInItsMode) {
  const auto request = read(R"({"task": "nli"})").value();
  EXPECT_EQ(request.task->id, TaskId::kMatching);
  EXPECT_EQ(request.fields["mode"], "nli");
}

TEST(ReadRequest, LegalPathsAreRead) {  // P2
  const auto request =
      read(R"({"task": "ner", "legal_output_type_list": [["a"], ["a", "b"]]})").value();
  EXPECT_EQ(request.legal_paths, (std::vector<std::vector<std::string>>{{"a"}, {"a", "b"}}));
}

}  // namespace
}  // namespace rex::tasks
