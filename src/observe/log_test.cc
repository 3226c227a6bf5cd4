#include "observe/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/temp_dir.h"

namespace rex::observe {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Log, LinesAreTextOrJsonAndHaveTheLevelAskedFor) {
  const TempDir dir;
  const auto file = dir.path() / "a.log";
  ASSERT_TRUE(open_log({.file = file.string()}));
  log(Level::kInfo, "request", {{"status", 200}, {"route", "/api/ner"}});
  log(Level::kDebug, "secret");
  flush_log();
  EXPECT_THAT(content(file), HasSubstr("info request status=200 route=\"/api/ner\""));
  EXPECT_THAT(content(file), Not(HasSubstr("secret")));

  const auto json = dir.path() / "b.log";
  ASSERT_TRUE(open_log({.json = true, .file = json.string()}));
  log(Level::kWarn, "a \"quote\"", {{"n", 1}});
  flush_log();
  const auto line = Json::parse(content(json));
  EXPECT_EQ(line["message"], "a \"quote\"");
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["n"], 1);
}

TEST(Log, FilesAreRotatedAndTheOldestGo) {
  const TempDir dir;
  const auto file = dir.path() / "r.log";
  ASSERT_TRUE(open_log({.file = file.string(), .rotate_bytes = 1000, .keep = 2}));
  for (int i = 0; i < 200; ++i)
    log(Level::kInfo, "a line of some length, number " + std::to_string(i));
  flush_log();
  EXPECT_LE(std::filesystem::file_size(file), 1000U);
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "r.2.log"));
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "r.3.log"));
}

TEST(Log, AFileThatCannotBeOpenedIsAnError) {
  const auto opened = open_log({.file = "/proc/nowhere/a.log"});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kFileUnwritable);
  EXPECT_THAT(opened.error().place, HasSubstr("/proc/nowhere"));
}

// /dev/full takes no bytes: what a full disk does.
TEST(Log, AFullDiskCostsLinesAndNothingElse) {
  ASSERT_TRUE(open_log({.file = "/dev/full"}));
  for (int i = 0; i < 100; ++i) log(Level::kWarn, "line");
  flush_log();
}

}  // namespace
}  // namespace rex::observe
