// convert-data: every direction, and what is wrong with a file or an option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "program/run_program.h"
#include "support/temp_dir.h"
#include "support/test_data.h"

namespace rex::program {
namespace {

using testing::HasSubstr;
using testing::Not;

// Entities, a relation and an event, which every tool can hold; all labels are in every schema.
constexpr const char* kSchema =
    R"json({"人物": null, "组织机构": {"高管(人物)": null}, "降息": {"机构": null, "时间": null}})json";
constexpr const char* kRelation =
    R"json([[{"type": "人物", "span": "何雨柱", "offset": [1, 4]}], [{"type": "组织机构", "span": "青禾银行", "offset": [6, 10]}, {"type": "高管(人物)", "span": "何雨柱", "offset": [1, 4]}]])json";
constexpr const char* kEvent =
    R"json([[{"type": "降息", "span": "降息", "offset": [9, 11]}, {"type": "机构", "span": "青禾银行", "offset": [0, 4]}], [{"type": "降息", "span": "降息", "offset": [9, 11]}, {"type": "时间", "span": "周一", "offset": [4, 6]}], [{"type": "降息", "span": "降息", "offset": [9, 11]}, {"type": "时间", "span": "周二", "offset": [7, 9]}]])json";

std::string line(const std::string& schema, const std::string& lists,
                 const std::string& text = "甲乙丙", const std::string& id = "a") {
  return R"({"id": ")" + id + R"(", "text": ")" + text + R"(", "schema": )" + schema +
         R"(, "info_list": )" + lists + "}\n";
}

std::string native_lines() {
  return line(kSchema, kRelation, "😀何雨柱担任青禾银行总经理。") +
         line(kSchema, kEvent, "青禾银行周一、周二降息。", "b");
}

std::string sample(const std::string& name) {
  return (source_dir() / "tests/data/formats" / name).string();
}

Args convert(const std::string& from, const std::string& to, const std::string& in,
             const std::string& out, const Args& more = {}) {
  Args args = {"convert-data", "--from", from, "--to", to, in, out};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

// Texts, ids and chains of native lines, the chains in any order.
Json facts(const std::string& jsonl) {
  Json all = Json::array();
  for (Json& json : json_lines(jsonl)) {
    std::vector<std::string> chains;
    for (const Json& chain : json["info_list"]) chains.push_back(chain.dump());
    std::sort(chains.begin(), chains.end());
    all.push_back({{"id", json["id"]}, {"text", json["text"]}, {"chains", chains}});
  }
  return all;
}

class ConvertData : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (dir_.path() / name).string();
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return std::filesystem::exists(dir_.path() / name);
  }
  // A file with this content.
  [[nodiscard]] std::string file(const std::string& name, const std::string& content) const {
    return dir_.write(name, content).string();
  }

  TempDir dir_;
};

TEST_F(ConvertData, NativeComesBackFromEveryTool) {
  const std::string in = file("in.jsonl", native_lines());
  for (const std::string tool : {"doccano", "label-studio", "brat"}) {
    const std::string out = path("out-" + tool), back = path("back-" + tool);
    const Outcome there = run(convert("native", tool, in, out));
    EXPECT_EQ(there.exit_code, 0) << there.err;
    EXPECT_EQ(there.err, "2 records read\n");
    const Outcome again = run(convert(tool, "native", out, back));
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(facts(content(back)), facts(native_lines())) << tool;
    for (const Json& json : json_lines(content(back)))
      EXPECT_EQ(json["schema"], parse_json(kSchema).value()) << tool;
  }
}

TEST_F(ConvertData, ToolsExportsBecomeNativeLinesThatEvalReads) {
  for (const auto& [form, name, records] :
       {std::tuple("doccano", "doccano.jsonl", 3),
        std::tuple("doccano", "doccano_classes.jsonl", 3),
        std::tuple("label-studio", "label_studio.json", 2), std::tuple("brat", "brat", 2)}) {
    const std::string out = path(std::string(name) + ".out");
    const Outcome outcome = run(convert(form, "native", sample(name), out));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const Outcome eval = run({"eval", out, "--json"});
    EXPECT_EQ(eval.exit_code, 0) << name << eval.err;
    EXPECT_EQ(eval.json()["samples"], records) << name;
  }
}

TEST_F(ConvertData, FromOneToolToAnother) {
  const std::string in = file("in.jsonl", native_lines());
  ASSERT_EQ(run(convert("native", "doccano", in, path("1"))).exit_code, 0);
  ASSERT_EQ(run(convert("doccano", "brat", path("1"), path("2"))).exit_code, 0);
  ASSERT_EQ(run(convert("brat", "label-studio", path("2"), path("3"))).exit_code, 0);
  ASSERT_EQ(run(convert("label-studio", "native", path("3"), path("4"))).exit_code, 0);
  EXPECT_EQ(facts(content(path("4"))), facts(native_lines()));
}

TEST_F(ConvertData, BratFilesAreStandoff) {
  const std::string in = file("in.jsonl", native_lines());
  ASSERT_EQ(run(convert("native", "brat", in, path("out"))).exit_code, 0);
  EXPECT_EQ(content(path("out/a.txt")), "😀何雨柱担任青禾银行总经理。");
  EXPECT_THAT(content(path("out/a.ann")), HasSubstr("\t人物 1 4\t何雨柱\n"));
  EXPECT_THAT(content(path("out/a.ann")), HasSubstr("R1\t高管 Arg1:"));
  EXPECT_THAT(content(path("out/b.ann")), HasSubstr("E1\t降息:"));
  EXPECT_THAT(content(path("out/b.ann")), HasSubstr(" 时间2:"));
}

TEST_F(ConvertData, StandardInputAndOutput) {
  const Outcome there = run(convert("native", "doccano", "-", "-"), native_lines());
  EXPECT_EQ(there.exit_code, 0) << there.err;
  const Outcome back = run(convert("doccano", "native", "-", "-"), there.out);
  EXPECT_EQ(facts(back.out), facts(native_lines()));
}

TEST_F(ConvertData, MissingInput) {
  for (const std::string form : {"native", "doccano", "label-studio", "brat"}) {
    const std::string to = form == "native" ? "doccano" : "native";
    const Outcome outcome = run(convert(form, to, path("none"), path("out")));
    EXPECT_EQ(outcome.exit_code, 66) << form;
    EXPECT_THAT(outcome.err, HasSubstr(path("none"))) << form;
    EXPECT_FALSE(exists("out")) << form;
  }
}

TEST_F(ConvertData, BrokenInputIsNamedByItsLineAndNothingIsWritten) {
  const Outcome native =
      run(convert("native", "brat", file("n", native_lines() + "{\"text\": \n"), path("out")));
  EXPECT_EQ(native.exit_code, 65);
  EXPECT_THAT(native.err, HasSubstr("error: line 3 byte "));
  EXPECT_THAT(native.err, HasSubstr("3 records read, 1 bad\nnothing was written"));
  const Outcome doccano =
      run(convert("doccano", "native",
                  file("d", "{\"text\": \"甲\", \"label\": [[0, 9, \"a\"]]}\n"), path("out")));
  EXPECT_EQ(doccano.exit_code, 65);
  EXPECT_THAT(doccano.err, HasSubstr("error: line 1 /label/0: [0, 9) is no part of a text"));
  // The standing advice is about the native form.
  EXPECT_THAT(doccano.err, Not(HasSubstr("info_list")));
  const std::string tasks = file("l", "[\n{\"id\": 1, \"data\": {}},\n{\"id\": ]\n");
  const Outcome studio = run(convert("label-studio", "native", tasks, path("out")));
  EXPECT_EQ(studio.exit_code, 65);
  EXPECT_THAT(studio.err, HasSubstr(tasks + " line 3, byte "));
  std::filesystem::create_directory(path("b"));
  (void)file("b/x.txt", "甲乙");
  (void)file("b/x.ann", "T1\ta 0 1\t甲\nT2\ta 1 2\t甲\n");
  const Outcome brat = run(convert("brat", "native", path("b"), path("out")));
  EXPECT_EQ(brat.exit_code, 65);
  EXPECT_THAT(brat.err, HasSubstr("error: x.ann line 2: \"甲\" is not the text"));
  EXPECT_FALSE(exists("out"));
}

TEST_F(ConvertData, SkipBadLeavesOutWhatIsReported) {
  std::filesystem::create_directory(path("b"));
  (void)file("b/x.txt", "甲乙丙");
  (void)file("b/x.ann", "T1\ta 0 1;2 3\t甲 丙\nT2\ta 1 2\t乙\n");
  (void)file("b/y.txt", "甲");
  const Args args = convert("brat", "native", path("b"), path("out"));
  const Outcome refused = run(args);
  EXPECT_EQ(refused.exit_code, 65);
  EXPECT_THAT(refused.err,
              HasSubstr("error: x.ann line 1: discontinuous spans are not supported; annotate"));
  EXPECT_THAT(refused.err, HasSubstr("y.ann"));
  EXPECT_FALSE(exists("out"));
  const Outcome skipped = run(convert("brat", "native", path("b"), path("out"), {"--skip-bad"}));
  EXPECT_EQ(skipped.exit_code, 0) << skipped.err;
  const auto lines = json_lines(content(path("out")));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["info_list"].dump(), R"([[{"type":"a","span":"乙","offset":[1,2]}]])");
}

TEST_F(ConvertData, NamesThatBratCannotHoldAreNamedWithTheLine) {
  const std::string a = R"({"type": "a:x", "span": "甲", "offset": [0, 1]})";
  const std::string b = R"({"type": "r", "span": "乙", "offset": [1, 2]})";
  const std::string first = line(R"({"a:x": {"r": null}})", "[[" + a + "," + b + "]]");
  const std::string head = R"({"type": "e", "span": "甲", "offset": [0, 1]})";
  const std::string time = R"({"type": "时间", "span": "乙", "offset": [1, 2]})";
  const std::string time2 = R"({"type": "时间2", "span": "丙", "offset": [2, 3]})";
  const std::string second = line(R"({"e": {"时间": null, "时间2": null}})",
                                  "[[" + head + "," + time + "],[" + head + "," + time2 + "]]");
  const std::string in = file("in", first + "\n" + second);
  const Outcome outcome = run(convert("native", "brat", in, path("out")));
  EXPECT_EQ(outcome.exit_code, 65);
  EXPECT_THAT(outcome.err, HasSubstr("error: line 1 trigger a:x: brat has \":\""));
  EXPECT_THAT(outcome.err, HasSubstr("error: line 3 role 时间2: brat numbers"));
  EXPECT_FALSE(exists("out"));
  const Outcome none = run(convert("native", "brat", in, path("out"), {"--skip-bad"}));
  EXPECT_EQ(none.exit_code, 65);
  EXPECT_THAT(none.err, HasSubstr("no record is left"));
  EXPECT_FALSE(exists("out"));
}

TEST_F(ConvertData, ClassTextsHaveNoPlaceInBrat) {
  const Outcome outcome =
      run(convert("doccano", "brat", sample("doccano_classes.jsonl"), path("out")));
  EXPECT_EQ(outcome.exit_code, 65);
  EXPECT_THAT(outcome.err, HasSubstr("error: line 1: brat has no classes of a whole text"));
  EXPECT_FALSE(exists("out"));
  const Args args =
      convert("doccano", "brat", sample("doccano_classes.jsonl"), path("out"), {"--json"});
  const auto lines = json_lines(run(args).err);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0]["param"], "line 1");
  EXPECT_FALSE(lines[0].contains("hint"));  // it would be about the native form
  EXPECT_EQ(lines[3]["bad_records"], 3);
}

TEST_F(ConvertData, OutputThatExistsIsKept) {
  const std::string in = file("in.jsonl", native_lines());
  const std::string out = file("out", "mine");
  const Outcome refused = run(convert("native", "doccano", in, out));
  EXPECT_EQ(refused.exit_code, 64);
  EXPECT_THAT(refused.err, HasSubstr("exists; give --overwrite"));
  EXPECT_EQ(content(out), "mine");
  EXPECT_EQ(run(convert("native", "doccano", in, out, {"--overwrite"})).exit_code, 0);
  EXPECT_EQ(json_lines(content(out)).size(), 2U);

  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(run(convert("native", "brat", in, path("folder"))).exit_code, 0);  // empty
  (void)file("folder/a.ann", "mine");
  EXPECT_EQ(run(convert("native", "brat", in, path("folder"))).exit_code, 64);
  EXPECT_EQ(content(path("folder/a.ann")), "mine");
  EXPECT_EQ(run(convert("native", "brat", in, path("folder"), {"--overwrite"})).exit_code, 0);
  EXPECT_THAT(content(path("folder/a.ann")), HasSubstr("人物"));
}

TEST_F(ConvertData, WrongUse) {
  const std::string in = file("in.jsonl", native_lines());
  const auto code = [](const Args& args) { return run(args).exit_code; };
  EXPECT_EQ(code(convert("native", "native", in, path("out"))), 64);
  EXPECT_EQ(code(convert("native", "conll", in, path("out"))), 64);
  EXPECT_EQ(code(convert("native", "brat", in, "-")), 64);
  EXPECT_EQ(code(convert("brat", "native", "-", path("out"))), 64);
  EXPECT_EQ(code(convert("native", "brat", in, file("plain", ""))), 64);
  EXPECT_EQ(code(convert("native", "doccano", in, in, {"--overwrite"})), 64);
  EXPECT_EQ(content(in), native_lines());
  EXPECT_EQ(code(convert("native", "doccano", file("empty", ""), path("out"))), 65);
  EXPECT_EQ(code(convert("native", "doccano", in, path("no/such/folder/out"))), 74);
  EXPECT_FALSE(exists("out"));
}

TEST_F(ConvertData, SchemasThatWouldNotComeBackAreTold) {
  const std::string lists = R"([[{"type": "a", "span": "甲", "offset": [0, 1]}]])";
  const std::string in = file("in", line(R"({"a": null, "b": null})", lists));
  const Outcome outcome = run(convert("native", "label-studio", in, path("out")));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("note: schema: 1 lines have a schema"));
  EXPECT_THAT(outcome.err, HasSubstr("(SCHEMA_NOT_KEPT)"));
  const Outcome json = run(convert("native", "brat", in, path("out2"), {"--json"}));
  EXPECT_EQ(parse_json(json.err).value()["warnings"][0]["code"], "SCHEMA_NOT_KEPT");
  const std::string schema = file("schema.json", R"({"a": null, "b": null})");
  const Args with_schema =
      convert("label-studio", "native", path("out"), path("back"), {"--schema", schema});
  EXPECT_EQ(run(with_schema).exit_code, 0);
  EXPECT_EQ(json_lines(content(path("back")))[0]["schema"].dump(), R"({"a":null,"b":null})");
}

}  // namespace
}  // namespace rex::program
