#include "cli/render.h"

#include <gtest/gtest.h>

#include "core/json.h"

namespace rex::cli {
namespace {

tasks::TaskAnswer answer_of(std::vector<pipeline::Chain> chains) {
  tasks::TaskAnswer answer;
  answer.task = &tasks::row_of(tasks::TaskId::kNer);
  answer.chains = std::move(chains);
  answer.result = Json::object();
  return answer;
}

TEST(RenderText, SpansAreMarkedInTheText) {
  const auto answer = answer_of({{{"人物", "张三", 1, 3, 0.9}}, {{"地点", "北京", 4, 6, 0.8}}});
  EXPECT_EQ(render_text(answer, "😀张三去北京", false),
            "😀[张三](人物)去[北京](地点)\n\n  人物: 张三 [1,3) 0.90\n  地点: 北京 [4,6) 0.80\n");
}

TEST(RenderText, OverlapsKeepTheLongerSpanAndEqualOnesShareLabels) {
  const auto answer =
      answer_of({{{"a", "京", 1, 2, 0.9}}, {{"b", "北京", 0, 2, 0.9}}, {{"c", "北京", 0, 2, 0.9}}});
  EXPECT_EQ(render_text(answer, "北京", false).substr(0, std::string("[北京](b|c)\n").size()),
            "[北京](b|c)\n");
}

TEST(RenderText, ColourMarksSpansWithoutBrackets) {
  const std::string shown = render_text(answer_of({{{"人物", "张三", 0, 2, 0.9}}}), "张三", true);
  EXPECT_NE(shown.find("张三\033[0m"), std::string::npos);
  EXPECT_EQ(shown.find("]("), std::string::npos);
}

TEST(RenderText, HostileTextCannotCommandTheTerminal) {
  const std::string text("\x1b]0;x\x07张三");
  const std::string shown = render_text(answer_of({{{"人物", "张三", 6, 8, 0.9}}}), text, false);
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find('\x07'), std::string::npos);
}

TEST(RenderText, ClassScoresAreShown) {
  auto answer = answer_of({{{"教育", "", -1, -1, 0.98}}});
  answer.result["scores"] = {{{"label", "教育"}, {"confidence", 0.98}},
                             {{"label", "民生"}, {"confidence", 0.1}}};
  const std::string shown = render_text(answer, "文", false);
  EXPECT_NE(shown.find("  教育 0.98\n"), std::string::npos);
  EXPECT_NE(shown.find("0.10  民生"), std::string::npos);
}

TEST(RenderTable, ColumnsLineUp) {
  const auto answer = answer_of({{{"人物", "张三", 0, 2, 0.9}}, {{"a", "", -1, -1, 0.5}}});
  EXPECT_EQ(render_table(answer),
            "chain  label  text  start  end  confidence\n"
            "1      人物   张三  0      2    0.90\n"
            "2      a      -     -      -    0.50\n");
}

TEST(RenderJson, CarriesTheClientsId) {
  const std::string line = render(answer_of({}), "文", Json("x"), Format::kJsonl, false);
  EXPECT_TRUE(line.starts_with(R"({"id":"x","task":"ner","output":[])"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

}  // namespace
}  // namespace rex::cli
