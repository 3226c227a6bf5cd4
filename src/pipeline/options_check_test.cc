#include "pipeline/options_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace rex::pipeline {
namespace {

TEST(CheckOptions, AcceptsTheDefaultsAndTheEndsOfEveryRange) {
  QueryOptions options;
  EXPECT_TRUE(check_options(options));
  options.threshold = 0.0;
  options.multi_label_threshold = 1.0;
  options.max_length = 16;
  options.stride = 0;
  options.max_passes = 1;
  options.max_prefixes = 1;
  EXPECT_TRUE(check_options(options));
}

TEST(CheckOptions, NamesTheOptionOutOfRange) {
  const std::pair<const char*, std::function<void(QueryOptions&)>> faults[] = {
      {"threshold", [](QueryOptions& o) { o.threshold = 1.1; }},
      {"threshold", [](QueryOptions& o) { o.threshold = std::nan(""); }},
      {"multi_label_threshold", [](QueryOptions& o) { o.multi_label_threshold = -0.1; }},
      {"thresholds/人物", [](QueryOptions& o) { o.thresholds["人物"] = 2.0; }},
      {"max_span_num", [](QueryOptions& o) { o.max_span_num = -1; }},
      {"max_length", [](QueryOptions& o) { o.max_length = 15; }},
      {"max_length", [](QueryOptions& o) { o.max_length = 513; }},
      {"stride", [](QueryOptions& o) { o.stride = -1; }},
      {"max_passes", [](QueryOptions& o) { o.max_passes = 0; }},
      {"max_prefixes", [](QueryOptions& o) { o.max_prefixes = 0; }},
  };
  for (const auto& [name, make] : faults) {
    QueryOptions options;
    make(options);
    const auto checked = check_options(options);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().code, ErrorCode::kOptionRange);
    EXPECT_EQ(checked.error().place, name);
  }
}

}  // namespace
}  // namespace rex::pipeline
