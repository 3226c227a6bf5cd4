#include "cli/eval_report.h"

#include <gtest/gtest.h>

namespace rex::cli {
namespace {

eval::Finding finding(std::string type, std::string span, int32_t start, int32_t end) {
  return {type, {{type, std::move(span), start, end}}};
}

Mistakes boundary() {
  return {7,
          "x-1",
          "😀张三去北京大学",
          {finding("学校", "北京大学", 4, 8)},
          {finding("地点", "北京", 4, 6), finding("人物", "三去", 2, 4)}};
}

TEST(MistakesText, MissedAndWrongSpansHaveTheirOwnSigns) {
  EXPECT_EQ(mistakes_text(boundary(), false),
            "line 7, x-1\n"
            "😀张[+三去](人物)[-[+北京](地点)大学](学校)\n"
            "  - missed  学校: 北京大学 [4,8)\n"
            "  + wrong   地点: 北京 [4,6)\n"
            "  + wrong   人物: 三去 [2,4)\n");
}

TEST(MistakesText, ColourKeepsTheSigns) {
  const std::string shown = mistakes_text(boundary(), true);
  EXPECT_NE(shown.find("\033[1;31m+三去\033[0m"), std::string::npos);
  // The outer style returns after an inner span.
  EXPECT_NE(shown.find("⟩\033[0m\033[1;33m大学\033[0m"), std::string::npos);
  EXPECT_EQ(shown.find("]("), std::string::npos);
}

TEST(MistakesText, CrossingSpansAreOnlyListed) {
  const Mistakes crossing{
      1, nullptr, "abcd", {finding("m", "abc", 0, 3)}, {finding("w", "bcd", 1, 4)}};
  EXPECT_EQ(mistakes_text(crossing, false),
            "line 1\n[-abc](m)d\n  - missed  m: abc [0,3)\n  + wrong   w: bcd [1,4)\n");
}

TEST(MistakesText, TheMarkerOfAClassTextIsNoSpan) {  // F3
  const Mistakes mistakes{2,
                          5,
                          "[CLASSIFY]股\x1b市",
                          {finding("财经", "[CLASSIFY]", 0, 10)},
                          {finding("体育", "[CLASSIFY]", 0, 10)}};
  EXPECT_EQ(mistakes_text(mistakes, false),
            "line 2, 5\n[CLASSIFY]股\uFFFD市\n"
            "  - missed  财经\n  + wrong   体育\n");
}

TEST(ReportText, TablesAreCutAndJsonIsWhole) {
  Tally tally;
  tally.metrics = {eval::Metric::kStrict};
  tally.counts = {{35, 35, 35}};
  for (int i = 0; i < 35; ++i) {
    const std::string type = "类" + std::to_string(i);
    const std::vector<eval::ItemList> lists = {{{type, "[CLASSIFY]", 0, 10}}};
    tally.report.add_labels(eval::compare(eval::Metric::kStrict, lists, lists).value());
    tally.report.add_classes(lists, lists);
  }
  const std::string text = report_text(tally, false);
  EXPECT_NE(text.find("\n… 5 more\n"), std::string::npos);
  EXPECT_NE(text.find("\nother "), std::string::npos);
  const Json json = report_json(tally, true);
  EXPECT_EQ(json["labels"].size(), 35U);
  EXPECT_EQ(json["labels"][0]["label"], "类0");
  EXPECT_EQ(json["labels"][0]["gold"], 1);
  EXPECT_NEAR(json["labels"][0]["f1"].get<double>(), 1.0, 1e-6);
  EXPECT_EQ(json["confusion"].size(), 35U);
  EXPECT_EQ(json["errors"], Json::array());
}

}  // namespace
}  // namespace rex::cli
