// Every task kind on real text with models/mini.
#include <gtest/gtest.h>

#include <set>

#include "program/run_program.h"
#include "support/test_data.h"
#include "text/utf8.h"

namespace rex::program {
namespace {

// Runs analyze --format json; every span of the answer must be the text at its offset.
Json analyzed(Args args, const std::string& text) {
  args.insert(args.begin(), {"analyze", "--format", "json"});
  if (!text.empty()) args.insert(args.end(), {"--text", text});
  const Outcome outcome = run(args);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json answer = outcome.json();
  const auto chars = text::CharText::make(text).value();
  for (const Json& chain : answer.value("output", Json::array())) {
    for (const Json& step : chain) {
      if (step["offset"].is_null()) continue;
      EXPECT_EQ(chars.slice(step["offset"][0], step["offset"][1]), step["span"].get<std::string>());
    }
  }
  return answer;
}

TEST(TaskKinds, Ner) {
  const Json answer = analyzed({"--task", "ner", "--labels", "人物,地理位置,组织机构"},
                               "北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。");
  EXPECT_EQ(answer["result"]["by_label"].dump(),
            R"({"人物":[],"地理位置":["西班牙","巴塞罗那"],"组织机构":["北大西洋议会"]})");
}

TEST(TaskKinds, Relation) {
  const Json answer = analyzed(
      {"--task", "re", "--schema", R"j({"组织机构": ["董事长(人物)", "总部地点(地理位置)"]})j"},
      "远航芯片有限公司董事长周慧敏1968年出生于湖南岳阳，公司总部位于武汉市东湖新区。");
  ASSERT_FALSE(answer["result"]["triples"].empty());
  const Json& triple = answer["result"]["triples"][0];
  EXPECT_EQ(triple["subject"]["text"], "远航芯片有限公司");
  EXPECT_EQ(triple["relation"], "董事长");
  EXPECT_EQ(triple["object_type"], "人物");
  EXPECT_EQ(triple["object"]["text"], "周慧敏");
}

TEST(TaskKinds, Event) {
  const Json answer =
      analyzed({"--task", "event", "--schema", R"({"胜负": ["时间", "败者", "胜者", "赛事名称"]})"},
               "7月28日，天津泰达在德比战中以0-1负于天津天海。");
  ASSERT_FALSE(answer["result"]["events"].empty());
  EXPECT_EQ(answer["result"]["events"][0]["event_type"], "胜负");
  EXPECT_EQ(answer["result"]["events"][0]["trigger"]["text"], "负");
  EXPECT_EQ(answer["result"]["events"][0]["arguments"][0]["text"], "7月28日");
}

TEST(TaskKinds, Absa) {
  const Json answer = analyzed({"--task", "absa"}, "很满意，音质很好，发货速度快，值得购买");
  ASSERT_FALSE(answer["result"]["pairs"].empty());
  EXPECT_EQ(answer["result"]["pairs"][0]["aspect"]["text"], "音质");
  std::set<std::string> aspects;
  for (const Json& pair : answer["result"]["pairs"]) aspects.insert(pair["aspect"]["text"]);
  EXPECT_TRUE(aspects.contains("发货速度"));
}

TEST(TaskKinds, AbsaWithImplicitAspects) {
  const Json answer =
      analyzed({"--task", "absa", "--implicit-aspect"}, "很满意，音质很好，发货速度快，值得购买");
  EXPECT_TRUE(answer["result"].contains("pairs"));
}

TEST(TaskKinds, SentimentOfAspects) {
  const Json answer = analyzed({"--task", "sentiment"}, "很满意，音质很好，发货速度快，值得购买");
  ASSERT_FALSE(answer["result"]["pairs"].empty());
  EXPECT_EQ(answer["result"]["pairs"][0]["polarity"], "positive");
  EXPECT_GE(answer["result"]["summary"]["positive"].get<int>(), 1);
}

TEST(TaskKinds, SentimentOfTheSentence) {
  const Json answer = analyzed({"--task", "sentiment", "--level", "sentence"},
                               "有点看不下去了，看作者介绍就觉得挺矫情了，文字也弱了点。亏了。");
  EXPECT_EQ(answer["result"]["label"], "负向情感");
  EXPECT_EQ(answer["result"]["polarity"], "negative");
}

TEST(TaskKinds, Coref) {
  const Json answer = analyzed({"--task", "coref", "--pronoun", "它", "--candidates", "事物,山水"},
                               "因为周围的山水，早已是一派浑莽无际的绿色了。任何事物一旦达到某种限"
                               "度，你就不能再给它增加什么了。");
  ASSERT_EQ(answer["result"]["links"].size(), 1U);
  EXPECT_EQ(answer["result"]["links"][0]["pronoun"]["start"], 41);
  EXPECT_EQ(answer["result"]["links"][0]["scores"].size(), 2U);
}

TEST(TaskKinds, CorefFindsItsCandidates) {
  const Json answer = analyzed({"--task", "coref"}, "张伟在北京大学读书，他喜欢数学。");
  ASSERT_EQ(answer["result"]["links"].size(), 1U);
  EXPECT_FALSE(answer["result"]["links"][0]["scores"].empty());
}

TEST(TaskKinds, Classification) {
  const Json answer = analyzed({"--task", "tc", "--labels", "民生,文化,娱乐,体育,财经,教育"},
                               "学校召开2018届升学及出国深造毕业生座谈会就业指导");
  EXPECT_EQ(answer["result"]["label"], "教育");
  EXPECT_EQ(answer["result"]["scores"].size(), 6U);
  EXPECT_TRUE(answer["output"][0][0]["offset"].is_null());
}

TEST(TaskKinds, MultiLabel) {
  const Json answer = analyzed(
      {"--task", "multi_label", "--labels", "民间故事,推理,历史,童话,科幻"},
      "《格林童话》是德国民间故事集。其中的《灰姑娘》、《白雪公主》等童话故事在世界各国广为流传。");
  ASSERT_FALSE(answer["result"]["labels"].empty());
}

TEST(TaskKinds, Hierarchical) {
  const Json answer = analyzed(
      {"--task", "hierarchical", "--schema",
       R"(["APP系统功能>蓝牙钥匙故障", "APP系统功能>界面显示异常", "电器-附件>电子模块问题", "电器-附件>雨刮、洗涤器故障"])"},
      "雨刷刮不干净怎么办");
  EXPECT_EQ(answer["result"]["paths"][0]["path"].dump(), R"(["电器-附件","雨刮、洗涤器故障"])");
}

TEST(TaskKinds, Matching) {
  const Json answer = analyzed({"--task", "matching", "--text1", "高分子材料与工程排名", "--text2",
                                "高分子材料与工程专业的完整定义"},
                               "");
  EXPECT_EQ(answer["result"]["label"], "不相似");
  const Json nli = analyzed({"--task", "nli", "--text1", "呃,银行听说都要扣一点这个转手费",
                             "--text2", "从未有银行扣过手续费"},
                            "");
  EXPECT_EQ(nli["result"]["label"], "矛盾");
}

TEST(TaskKinds, Reading) {
  const Json answer = analyzed({"--task", "reading", "--question", "青石渠位于哪里？"},
                               "青石渠位于云州市西北部的石门山区，东起柳河水库，西至大营镇，全长68"
                               "公里，工程总投资3.42亿元。");
  EXPECT_TRUE(answer["result"].contains("answers"));
  EXPECT_TRUE(answer["result"].contains("unanswered"));
}

TEST(TaskKinds, ReadingWithChoices) {
  const Json answer = analyzed({"--task", "reading", "--question", "B为什么不坐飞机?", "--choices",
                                "飞机票太贵,时间来不及,坐飞机头晕,飞机票太便宜"},
                               "A：最近飞机票打折挺多的，你还是坐飞机去吧。B：反正又不是时间来不及"
                               "，飞机再便宜我也不坐，我一听坐飞机就头晕。");
  EXPECT_EQ(answer["result"]["choice"], "坐飞机头晕");
  EXPECT_EQ(answer["result"]["index"], 2);
}

TEST(TaskKinds, OffsetsHoldForUnusualTexts) {
  for (const char* text :
       {"今天🎉我们去了长城👨‍👩‍👧‍👦👍🏽，𠮷野家真好吃！",
        "  张三 在 北京　大学 读书 ，\t李四\r\n在  清华大学 工作。  ",
        "OpenAI的CEO Sam Altman回到San Francisco。", "臺灣大學位於臺北市。東京タワー、서울특별시",
        "㐂多郎在𠀀𠀁见到王小明"}) {
    analyzed({"--task", "ner", "--labels", "人物,地理位置,组织机构"}, text);
  }
}

TEST(TaskKinds, ReferenceBehaviourGivesTheOriginalsForm) {  // D25
  const Json answer = run({"analyze", "--json", "--task", "tc", "--labels", "体育,财经",
                           "--behaviour", "reference", "--text", "股市今日大涨"})
                          .json();
  EXPECT_EQ(answer["output"].dump(), R"([[{"type":"财经","span":"[CLASSIFY]","offset":[0,10]}]])");
}

TEST(TaskKinds, EveryKeyOrderGivesTheSameChains) {
  const char* text = "北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。";
  const Json one = analyzed({"--task", "ner", "--labels", "人物,地理位置,组织机构"}, text);
  const Json two =
      analyzed({"--task", "ner", "--labels", "组织机构,地理位置,人物", "--threads", "1"}, text);
  EXPECT_EQ(one["output"], two["output"]);
}

}  // namespace
}  // namespace rex::program
