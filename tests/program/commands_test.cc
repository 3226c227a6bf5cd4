// The other commands and the forms of output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/run_program.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace rex::program {
namespace {

using testing::HasSubstr;
using testing::Not;

const Args kNer = {"analyze",
                   "--task",
                   "ner",
                   "--labels",
                   "人物,地理位置,组织机构",
                   "--text",
                   "北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。"};

Args with(Args args, const Args& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(Output, TextMarksSpansWithoutColourInAPipe) {
  const Outcome outcome = run(kNer);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      HasSubstr(
          "[北大西洋议会](组织机构)春季会议26日在[西班牙](地理位置)[巴塞罗那](地理位置)闭幕。"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\033[")));
}

TEST(Output, JsonAndJsonlHoldTheSame) {
  const Json pretty = run(with(kNer, {"--format", "json"})).json();
  const Outcome line = run(with(kNer, {"--format", "jsonl"}));
  EXPECT_EQ(std::count(line.out.begin(), line.out.end(), '\n'), 1);
  EXPECT_EQ(pretty, line.json());
  EXPECT_EQ(pretty["output"][0][0].items().begin().key(), "type");
}

TEST(Output, TableHasOneRowForEachSpan) {
  const Outcome outcome = run(with(kNer, {"--format", "table"}));
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 4) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("confidence"));
}

TEST(Output, WarningsGoToStandardError) {
  const Outcome outcome = run(with(kNer, {"--options", "{\"beams\": 4}"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("UNKNOWN_FIELD"));
}

TEST(Output, TextComesFromStandardInput) {
  const Outcome outcome = run({"analyze", "--task", "ner", "--labels", "组织机构", "--json"},
                              "北大西洋议会在西班牙闭幕。\n");
  EXPECT_EQ(outcome.json()["result"]["entities"][0]["text"], "北大西洋议会");
}

TEST(Output, MemoryPlanIsPrinted) {
  const Outcome outcome = run(with(kNer, {"--print-memory-plan"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("arena"));
}

TEST(Commands, HelpHasExamplesEverywhere) {
  EXPECT_THAT(run({"--help"}).out, HasSubstr("Examples:"));
  for (const char* command :
       {"analyze", "inspect", "tokenize", "validate-schema", "eval", "convert-data"}) {
    const Outcome outcome = run({command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("Examples:")) << command;
  }
}

TEST(Commands, VersionNamesRevisionAndCompiler) {
  EXPECT_THAT(run({"version"}).out, HasSubstr("rexuninlu "));
  const Json version = run({"version", "--json"}).json();
  EXPECT_TRUE(version.contains("revision"));
  EXPECT_TRUE(version.contains("compiler"));
}

TEST(Commands, InspectSaysWhatTheModelIs) {
  const Json report = run({"inspect", mini_model_dir().string(), "--tensors", "--json"}).json();
  EXPECT_EQ(report["config"]["layers"], 8);
  EXPECT_EQ(report["config"]["hidden"], 384);
  EXPECT_EQ(report["vocabulary"], 12804);
  EXPECT_EQ(report["stored_as"], "f16");
  EXPECT_EQ(report["tensors"], report["tensor_list"].size());
  EXPECT_THAT(run({"inspect", mini_model_dir().string()}).out, HasSubstr("all tensors present"));
}

TEST(Commands, TokenizeShowsOffsetsOfTheSource) {
  const Json report = run({"tokenize", "--text", "北京 ABC", "--json"}).json();
  EXPECT_EQ(report["chars"], 6);
  EXPECT_EQ(report["tokens"][0]["text"], "北");
  EXPECT_EQ(report["tokens"][1]["start"], 1);
  EXPECT_THAT(run({"tokenize"}, "北京").out, HasSubstr("0–1"));
}

TEST(Commands, ValidateSchemaShowsFormWarningsAndCost) {
  const Json report = run({"validate-schema", "--schema",
                           R"({"竞赛名称": ["主办方", "承办方", "主办方"]})", "--json"})
                          .json();
  EXPECT_EQ(report["schema"].dump(), R"({"竞赛名称":{"主办方":null,"承办方":null}})");
  EXPECT_EQ(report["depth"], 2);
  EXPECT_EQ(report["levels"][1]["labels"], 2);
  EXPECT_EQ(report["levels"][1]["prompts"], 1);
  EXPECT_EQ(report["levels"][0]["longest_label_tokens"], 4);
  EXPECT_EQ(report["warnings"][0]["code"], "LABEL_DUPLICATE");
  EXPECT_EQ(run({"validate-schema", "--strict", "--schema", R"({"a": "b"})"}).exit_code, 65);
}

constexpr const char* kLabelled =
    R"({"id": "1", "text": "北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。", "schema": {"人物": null, "地理位置": null, "组织机构": null}, "info_list": [[{"type": "组织机构", "span": "北大西洋议会", "offset": [0, 6]}], [{"type": "地理位置", "span": "西班牙", "offset": [14, 17]}], [{"type": "人物", "span": "闭幕", "offset": [21, 23]}]]}
{"text": "[CLASSIFY]股市今日大涨", "schema": {"财经": null, "体育": null}, "info_list": [[{"type": "财经", "span": "[CLASSIFY]", "offset": [0, 10]}]]}
)";

TEST(Commands, EvalCountsAsDefined) {  // F29: answers 北大西洋议会, 西班牙, 巴塞罗那 and 财经
  TempDir dir;
  const std::string file = dir.write("dev.jsonl", kLabelled).string();
  const std::string answers = (dir.path() / "answers.jsonl").string();
  for (const char* behaviour : {"standard", "reference"}) {
    const Json report = run({"eval", file, "--metrics", "strict,span", "--behaviour", behaviour,
                             "--predictions", answers, "--json"})
                            .json();
    EXPECT_EQ(report["samples"], 2);
    EXPECT_EQ(report["metrics"]["strict"]["predicted"], 4) << behaviour;
    EXPECT_EQ(report["metrics"]["strict"]["gold"], 4);
    EXPECT_EQ(report["metrics"]["strict"]["correct"], 3);
    EXPECT_NEAR(report["metrics"]["strict"]["f1"].get<double>(), 0.75, 1e-6);
    EXPECT_NEAR(report["f1"].get<double>(), 0.75, 1e-6);
    EXPECT_EQ(json_lines(content(answers)).size(), 2U);
  }
  EXPECT_THAT(run({"eval", file}).out, HasSubstr("strict"));
}

TEST(Commands, EvalNamesTheBadLine) {
  const Outcome outcome = run({"eval", "-"}, std::string(kLabelled) + "{\"text\": 3}\n");
  EXPECT_EQ(outcome.exit_code, 65);
  EXPECT_THAT(outcome.err, HasSubstr("line 3 /text"));
}

TEST(Commands, ModelComesFromTheEnvironment) {
  const Outcome outcome = run(kNer, "", {"REXUNINLU_MODEL=/no/such/model"});
  EXPECT_EQ(outcome.exit_code, 66);
  EXPECT_THAT(outcome.err, HasSubstr("/no/such/model"));
}

}  // namespace
}  // namespace rex::program
