#include "train/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "config/settings_table.h"

namespace rex::train {
namespace {

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  std::istringstream lines(describe_options());
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find("--");
    if (begin != 2) continue;
    names.push_back(line.substr(4, line.find(' ', 4) - 4));
  }
  return names;
}

// Every option stands in the section `training` of a configuration file.
TEST(TrainOptions, EveryOptionIsASetting) {
  const auto names = option_names();
  EXPECT_GT(names.size(), 30U);
  for (std::string name : names) {
    std::replace(name.begin(), name.end(), '-', '_');
    EXPECT_NE(config::find_setting("training." + name), nullptr) << name;
  }
}

TEST(TrainOptions, EverySettingIsAnOption) {
  for (const config::SettingRow& row : config::settings_table()) {
    if (!row.name.starts_with("training.") || !row.has_effect) continue;
    const std::string name = row.name.substr(std::string("training.").size());
    if (name == "enable" || name == "use_gpu_optimization" || name == "lr_type") continue;
    const std::vector<std::string> words = {"--" + name, "no value of any option"};
    const auto parsed = parse_options(words);
    EXPECT_TRUE(parsed || parsed.error().code != ErrorCode::kFieldUnknown) << name;
  }
}

TEST(TrainOptions, BadOnesNameTheOption) {
  const auto code = [](std::vector<std::string> words) { return parse_options(words).error(); };
  EXPECT_EQ(code({"--epochs", "many"}).place, "--epochs");
  EXPECT_EQ(code({"--learning-rate", "2"}).code, ErrorCode::kOptionRange);
  EXPECT_EQ(code({"--precision", "f8"}).place, "--precision");
  EXPECT_EQ(code({"--epoch", "3"}).code, ErrorCode::kFieldUnknown);
  EXPECT_EQ(code({"--epochs"}).code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace rex::train
