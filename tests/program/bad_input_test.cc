// Bad input: one clear error line, the right exit code, never a crash.
#include <gtest/gtest.h>

#include <fstream>

#include "program/run_program.h"
#include "support/temp_dir.h"
#include "support/test_data.h"
#include "text/utf8.h"

namespace rex::program {
namespace {

// Expects the error's code and exit code, on standard error as one line.
void expect_error(const Args& args, std::string_view code, int exit_code,
                  const std::string& input = "") {
  Args with_json = args;
  with_json.push_back("--json");
  const Outcome outcome = run(with_json, input);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const auto lines = json_lines(outcome.err);
  ASSERT_EQ(lines.size(), 1U) << outcome.err;
  EXPECT_EQ(lines[0]["code"], code) << outcome.err;
  EXPECT_FALSE(lines[0]["hint"].get<std::string>().empty());
}

Args ner(const std::string& text, const std::string& schema) {
  return {"analyze", "--task", "ner", "--text", text, "--schema", schema};
}

std::string repeated(std::string_view piece, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += piece;
  return all;
}

TEST(BadInput, EmptyAndBlankTexts) {
  expect_error(ner("", "人物"), "TEXT_MISSING", 65);
  expect_error(ner(" \t\n　", "人物"), "TEXT_MISSING", 65);
  expect_error({"analyze", "--task", "ner", "--schema", "人物"}, "TEXT_MISSING", 65);
}

TEST(BadInput, Schemas) {
  expect_error(ner("文", "{}"), "SCHEMA_EMPTY", 65);
  expect_error(ner("文", "[]"), "SCHEMA_EMPTY", 65);
  expect_error(ner("文", "42"), "SCHEMA_BAD_VALUE", 65);
  expect_error(ner("文", "null"), "SCHEMA_BAD_VALUE", 65);
  expect_error(ner("文", R"([["人物"], ["时间"]])"), "SCHEMA_BAD_VALUE", 65);
  expect_error(ner("文", R"({"人物": 3})"), "SCHEMA_BAD_VALUE", 65);
  expect_error(ner("文", R"({"人物": null, "人物": null})"), "SCHEMA_DUPLICATE_KEY", 65);
  expect_error(ner("文", R"({"": null})"), "LABEL_EMPTY", 65);
  expect_error(ner("文", R"({"人物": null)"), "JSON_INVALID", 65);
  expect_error(ner("文", repeated("{\"层\":", 50) + "null" + repeated("}", 50)), "SCHEMA_TOO_DEEP",
               65);
  expect_error(ner("文", R"({"a": {"$ref": "#/$defs/b"}})"), "SCHEMA_REF", 65);
  expect_error({"analyze", "--task", "ner", "--text", "文"}, "SCHEMA_MISSING", 65);
}

TEST(BadInput, TwoThousandLabels) {
  Json labels = Json::array();
  for (int i = 0; i < 2000; ++i) labels.push_back("类" + std::to_string(i));
  expect_error(ner("文", labels.dump()), "TOO_MANY_LABELS", 65);
}

TEST(BadInput, LongLabels) {
  expect_error(ner("文", Json::array({repeated("长", 600)}).dump()), "LABEL_TOO_LONG", 65);
  expect_error(ner("文", Json::array({repeated("长", 200)}).dump()), "LABEL_TOO_LONG",
               65);  // in tokens, Q8
  expect_error({"validate-schema", "--schema", repeated("长", 200)}, "LABEL_TOO_LONG", 65);
}

TEST(BadInput, BrokenEncodings) {
  expect_error(ner("张三\xff", "人物"), "ENCODING_INVALID", 65);
  expect_error(ner("张三\xed\xa0\x80", "人物"), "ENCODING_INVALID", 65);  // a lone surrogate, Q27
  expect_error(ner("文", "人\xff物"), "ENCODING_INVALID", 65);
  expect_error(ner("文", R"({"\ud800": null})"), "JSON_INVALID", 65);
  expect_error({"analyze", "--task", "ner", "--labels", "a\xff", "--text", "文"},
               "ENCODING_INVALID", 65);
  expect_error({"analyze", "--task", "matching", "--text1", "a\xff", "--text2", "b"},
               "ENCODING_INVALID", 65);
  expect_error({"tokenize", "--text", "a\xff"}, "ENCODING_INVALID", 65);
}

TEST(BadInput, NulIsAnOrdinaryChar) {  // Q28
  TempDir dir;
  const auto file = dir.write("text", std::string("张三\0在北京", 16));
  const Outcome outcome =
      run({"analyze", "--task", "ner", "--labels", "人物", "--text-file", file.string(), "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["usage"]["chars"], 6);
}

TEST(BadInput, TextOfAMegabyteIsProcessed) {
  TempDir dir;
  const std::string unit =
      "周慧敏在武汉。\r\n" + repeated("😀", 120);  // the row of emoji is one token (Q9)
  const int units = REX_TEST_LONG_TEXT_BYTES / static_cast<int>(unit.size());
  const auto text = text::CharText::make(repeated(unit, units)).value();
  const auto file = dir.write("text", text.utf8());
  const Outcome outcome =
      run({"analyze", "--task", "ner", "--labels", "人物", "--text-file", file.string(), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json answer = outcome.json();
  EXPECT_EQ(answer["usage"]["chars"], text.size());
  EXPECT_GT(answer["usage"]["windows"].get<int>(), 5);
  for (const Json& chain : answer["output"]) {
    EXPECT_EQ(text.slice(chain[0]["offset"][0], chain[0]["offset"][1]),
              chain[0]["span"].get<std::string>());
  }
}

TEST(BadInput, TextAboveTheLimitIsRefused) {
  Args args = ner(repeated("文", 300), "人物");
  args.insert(args.end(), {"--max-text-chars", "299"});
  expect_error(args, "TEXT_TOO_LONG", 65);
}

TEST(BadInput, WrongUse) {
  expect_error({}, "USAGE", 64);
  expect_error({"dance"}, "USAGE", 64);
  expect_error({"analyze", "--no-such-flag"}, "USAGE", 64);
  expect_error({"analyze", "--task", "dance", "--text", "文"}, "TASK_UNKNOWN", 64);
  expect_error({"analyze", "--text", "文"}, "TASK_UNKNOWN", 64);
  expect_error({"analyze", "--task", "ner", "--labels", "a", "--schema", "b", "--text", "文"},
               "FIELD_CONFLICT", 64);
  expect_error({"analyze", "--task", "ner", "--labels", "a", "--text", "文", "--text-file", "x"},
               "FIELD_CONFLICT", 64);
  expect_error({"analyze", "--task", "ner", "--labels", "a", "--text", "文", "--threshold", "7"},
               "OPTION_RANGE", 64);
  expect_error({"analyze", "--task", "ner", "--labels", "a", "--text", "文", "--options", "[1]"},
               "OPTION_TYPE", 64);
  expect_error({"analyze", "--task", "ner", "--labels", "a", "--text", "文", "--device", "abacus"},
               "OPTION_RANGE", 64);
  expect_error({"analyze", "--task", "ner", "--labels", "a", "--text-file", "/no/such/file"},
               "FILE_NOT_FOUND", 66);
  expect_error({"eval", "/no/such/file"}, "FILE_NOT_FOUND", 66);
  expect_error({"eval", "/dev/null", "--metrics", "luck"}, "OPTION_RANGE", 64);
}

TEST(BadInput, ErrorsAreOneLineInEitherLanguage) {
  const Outcome english = run(ner("文", "42"));
  EXPECT_EQ(english.exit_code, 65);
  EXPECT_TRUE(english.err.starts_with("error: ")) << english.err;
  EXPECT_EQ(std::count(english.err.begin(), english.err.end(), '\n'), 1);
  const Outcome chinese = run(ner("文", "42"), "", {"LANG=zh_CN.UTF-8"});
  EXPECT_TRUE(chinese.err.starts_with("错误：")) << chinese.err;
  EXPECT_NE(chinese.err.find("标签应写作"), std::string::npos);
}

// A copy of the small model to break, by links; `without` is left out.
class BrokenModel {
 public:
  explicit BrokenModel(const std::string& without = "") {
    for (const auto& entry : std::filesystem::directory_iterator(mini_model_dir())) {
      const auto name = entry.path().filename();
      if (name != without) std::filesystem::create_symlink(entry.path(), dir_.path() / name);
    }
  }
  void write(const std::string& name, std::string_view bytes) const { dir_.write(name, bytes); }
  [[nodiscard]] Args analyze() const {
    return {"analyze", "--model", dir_.path().string(), "--task", "ner", "--labels", "人物",
            "--text",  "张三"};
  }

 private:
  TempDir dir_;
};

TEST(BadModel, MissingFiles) {
  Args args = ner("张三", "人物");
  args.insert(args.end(), {"--model", "/no/such/model"});
  expect_error(args, "FILE_NOT_FOUND", 66);
  expect_error(BrokenModel("vocab.txt").analyze(), "FILE_NOT_FOUND", 66);
  expect_error(BrokenModel("config.json").analyze(), "FILE_NOT_FOUND", 66);
  expect_error(BrokenModel("model.safetensors").analyze(), "FILE_NOT_FOUND", 66);
}

TEST(BadModel, TruncatedCheckpoints) {
  const std::string whole = content((mini_model_dir() / "model.safetensors").string());
  BrokenModel cut("model.safetensors");
  cut.write("model.safetensors", std::string_view(whole).substr(0, whole.size() / 2));
  expect_error(cut.analyze(), "CHECKPOINT_INVALID", 65);
  BrokenModel torch("model.safetensors");
  torch.write("pytorch_model.bin", "PK\x03\x04 and then nothing");
  expect_error(torch.analyze(), "CHECKPOINT_INVALID", 65);
}

TEST(BadModel, HeaderThatClaimsTwoToThe60Bytes) {
  BrokenModel model("model.safetensors");
  model.write("model.safetensors", std::string("\0\0\0\0\0\0\0\x10{}", 10));
  expect_error(model.analyze(), "CHECKPOINT_INVALID", 65);
}

TEST(BadModel, UnsupportedAndMismatchedConfigurations) {
  Json config = parse_json(content((mini_model_dir() / "config.json").string())).value();
  Json odd = config;
  odd["hidden_size"] = 770;
  BrokenModel unsupported("config.json");
  unsupported.write("config.json", odd.dump());
  expect_error(unsupported.analyze(), "CONFIG_UNSUPPORTED", 65);
  Json wide = config;
  wide["intermediate_size"] = config["intermediate_size"].get<int>() * 2;
  BrokenModel mismatched("config.json");
  mismatched.write("config.json", wide.dump());
  expect_error(mismatched.analyze(), "CHECKPOINT_MISMATCH", 65);
}

}  // namespace
}  // namespace rex::program
