// analyze --jsonl: order, errors file, resuming after a kill, stopping by a signal.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "program/run_program.h"
#include "support/temp_dir.h"

namespace rex::program {
namespace {

constexpr int kLines = REX_TEST_JSONL_LINES;

// Lines of different lengths; every 97th is broken, every 50th empty.
std::string many_lines() {
  std::string lines;
  for (int i = 1; i <= kLines; ++i) {
    if (i % 97 == 0) {
      lines += "{\"text\": \n";
    } else if (i % 50 == 0) {
      lines += "\n";
    } else {
      std::string text;
      for (int k = 0; k <= i % 2; ++k) text += "周慧敏第" + std::to_string(i) + "次在武汉工作。";
      lines += Json{{"id", i}, {"text", text}}.dump() + "\n";
    }
  }
  return lines;
}

struct Files {
  TempDir dir;
  std::string in = dir.write("in.jsonl", many_lines()).string();
  std::string out = (dir.path() / "out.jsonl").string();
  std::string errors = out + ".errors.jsonl";

  [[nodiscard]] Args args(const Args& more = {}) const {
    Args all = {"analyze", "--task", "ner",   "--labels", "人物,地理位置",
                "--jsonl", in,       "--out", out};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

// Every line that is not empty has one record, in order.
void expect_complete(const Files& files) {
  std::vector<int64_t> seen;
  int64_t last = 0;
  for (const Json& record : json_lines(content(files.out))) {
    const auto number = record["line"].get<int64_t>();
    EXPECT_GT(number, last);
    EXPECT_EQ(record["id"], number);
    EXPECT_TRUE(record.contains("output"));
    last = number;
    seen.push_back(number);
  }
  last = 0;
  for (const Json& record : json_lines(content(files.errors))) {
    const auto number = record["line"].get<int64_t>();
    EXPECT_GT(number, last);
    EXPECT_EQ(number % 97, 0);
    EXPECT_EQ(record["code"], "JSON_INVALID");
    last = number;
    seen.push_back(number);
  }
  std::sort(seen.begin(), seen.end());
  std::vector<int64_t> expected;
  for (int64_t i = 1; i <= kLines; ++i) {
    if (i % 97 == 0 || i % 50 != 0) expected.push_back(i);
  }
  EXPECT_EQ(seen, expected);
}

TEST(Jsonl, AnswersInOrderAndPutsBadLinesAside) {
  Files files;
  const Outcome outcome = run(files.args());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find(std::to_string(kLines / 97) + " failed"), std::string::npos)
      << outcome.err;
  expect_complete(files);
}

TEST(Jsonl, ResumesAfterAKillWithNothingLostOrDoubled) {
  Files whole;
  run(whole.args());
  Files files;
  int kills = 0;
  for (int attempt = 0; attempt < 40; ++attempt) {
    const auto size_before = content(files.out).size();
    const pid_t pid = start(files.args({"--resume"}));
    while (!has_ended(pid) && content(files.out).size() <= size_before) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(pid, SIGKILL);
    const int code = wait_for(pid);
    if (code != -SIGKILL) break;
    ++kills;
    if (kills == 2)
      std::ofstream(files.out, std::ios::app) << "{\"line\":9999,\"id\":";  // half a record
  }
  EXPECT_GT(kills, 0);
  const Outcome rest = run(files.args({"--resume"}));
  EXPECT_EQ(rest.err.find("error"), std::string::npos) << rest.err;
  expect_complete(files);
  EXPECT_EQ(content(files.out), content(whole.out));
  EXPECT_EQ(content(files.errors), content(whole.errors));
}

TEST(Jsonl, AnInterruptStopsCleanly) {
  Files files;
  const pid_t pid = start(files.args());
  while (!has_ended(pid) && content(files.out).empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(pid, SIGINT);
  const int code = wait_for(pid);
  EXPECT_TRUE(code == 130 || code == 1) << code;
  const std::string out = content(files.out);
  EXPECT_TRUE(out.ends_with('\n'));
  run(files.args({"--resume"}));
  expect_complete(files);
}

TEST(Jsonl, ResumingAFinishedRunChangesNothing) {
  Files files;
  run(files.args());
  const std::string before = content(files.out);
  const Outcome again = run(files.args({"--resume"}));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(content(files.out), before);
}

TEST(Jsonl, TheInputIsNeverAnOutput) {
  Files files;
  const std::string before = content(files.in);
  files.out = files.in;
  EXPECT_EQ(run(files.args({"--overwrite"})).exit_code, 64);
  EXPECT_EQ(run(files.args({"--resume"})).exit_code, 64);
  EXPECT_EQ(content(files.in), before);
}

TEST(Jsonl, AnExistingFileIsNotOverwrittenUnasked) {
  Files files;
  std::ofstream(files.out) << "precious\n";
  const Outcome refused = run(files.args());
  EXPECT_EQ(refused.exit_code, 64);
  EXPECT_EQ(content(files.out), "precious\n");
  const Outcome foreign = run(files.args({"--resume"}));
  EXPECT_EQ(foreign.exit_code, 64);
  EXPECT_EQ(content(files.out), "precious\n");
}

TEST(Jsonl, LinesMayNameTheirOwnTaskAndBeBareTexts) {
  const Outcome outcome =
      run({"analyze", "--task", "ner", "--labels", "人物", "--jsonl", "-"},
          "\"张三在北京\"\n"
          "{\"task\": \"tc\", \"labels\": [\"体育\", \"财经\"], \"text\": \"股市大涨\"}\n"
          "{\"text\": \"李四\", \"schema\": [\"地理位置\"]}\r\n"
          "{\"text\": 5}\n");
  EXPECT_EQ(outcome.exit_code, 1);
  const auto lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 3U) << outcome.err;
  EXPECT_EQ(lines[0]["result"]["by_label"]["人物"][0], "张三");
  EXPECT_EQ(lines[1]["result"]["label"], "财经");
  EXPECT_TRUE(lines[2]["result"]["by_label"].contains("地理位置"));
  EXPECT_NE(outcome.err.find("{\"line\":4,"), std::string::npos);
  EXPECT_NE(outcome.err.find("TEXT_NOT_STRING"), std::string::npos);
}

TEST(Jsonl, AnswersDoNotDependOnTheNeighbours) {
  const std::string line = Json{{"text", "周慧敏在武汉工作。"}}.dump() + "\n";
  const Outcome alone = run({"analyze", "--task", "ner", "--labels", "人物", "--jsonl", "-"}, line);
  std::string crowd;
  for (int i = 0; i < 9; ++i)
    crowd +=
        Json{{"text", std::string("天气很好，王芳去了上海。") + std::to_string(i)}}.dump() + "\n";
  const Outcome among =
      run({"analyze", "--task", "ner", "--labels", "人物", "--jsonl", "-", "--threads", "1"},
          crowd + line);
  Json last = json_lines(among.out).back();
  last["line"] = 1;
  EXPECT_EQ(last, json_lines(alone.out).at(0));
}

TEST(Jsonl, MissingInputIsAnError) {
  EXPECT_EQ(
      run({"analyze", "--task", "ner", "--labels", "a", "--jsonl", "/no/such/file"}).exit_code, 66);
  TempDir dir;
  const auto in = dir.write("in", "\"文\"\n").string();
  EXPECT_EQ(run({"analyze", "--task", "ner", "--labels", "a", "--jsonl", in, "--out",
                 "/no/such/folder/out"})
                .exit_code,
            74);
}

}  // namespace
}  // namespace rex::program
