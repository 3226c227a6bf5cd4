// text[start:end] is the span, in code points of the text as sent, whatever the text is made of.
#include <gtest/gtest.h>

#include "property/mini_pipeline.h"

namespace rex {
namespace {

using std::string_literals::operator""s;

constexpr const char* kTexts[] = {
    // clang-format off: it would cut this text a letter at a time
    "今天🎉我们去了长城👨‍👩‍👧‍👦，𠮷野家的牛肉饭真好吃！ｈｔｔｐ：／／ｅｘａｍｐｌｅ．ｃｏｍ",
    // clang-format on
    "张三👍🏽和李四👋🏿在北京👩🏻‍💻开会❤️❤️‍🔥",
    "  张三　在  北京　　大学  读书 ，\t李四\r\n在\r\n清华大学\r\n\r\n工作。  ",
    "OpenAI的CEO Sam Altman于2023年11月17日被董事会解雇，iPhone15Pro在New York发布",
    "𠮷田𡈽井在㐀㐁村，𪚥先生从龘龘市来，豈更車",
    "臺灣大學位於臺北市。東京タワーは1958年に建てられました。서울특별시는 대한민국의 수도이다",
    "がぎぐげご：が、ぎ＋ﾊﾟﾋﾟ 한글 ㄱㄴㄷ",
    "e\u0301cole naïve İstanbul Ünïcödé\u200B零\u200D宽\uFEFF字\u00AD符在巴黎",
    "价格￥100，温度25℃，①②③Ⅲ²№，张三‰李四",
};

// Code points [start, end), counted by UTF-8 lead bytes.
std::string slice(const std::string& text, int32_t start, int32_t end) {
  std::string cut;
  int32_t index = -1;
  for (const char byte : text) {
    if ((static_cast<unsigned char>(byte) & 0xC0) != 0x80) ++index;
    if (index >= start && index < end) cut += byte;
  }
  return cut;
}

TEST(Offsets, Q30_EverySpanIsTheSliceOfItsOffsets) {
  std::vector<pipeline::Query> queries;
  for (const char* text : kTexts) {
    queries.push_back(make_query(text, R"({"人物":["职务"],"地理位置":null,"组织机构":null})"));
  }
  queries.push_back(queries.back());
  queries.back().text = "张三\0李四\x01在\x7F北京\xEF\xBF\xBD"s;
  // Far below the model's own decision, so that odd places are linked as well.
  for (pipeline::Query& query : queries) {
    query.options.threshold = 0.01;
    query.options.partial_paths = true;
    query.options.max_prefixes = 20;
  }
  size_t spans = 0;
  const auto results = mini_pipeline().analyze(queries);
  for (size_t i = 0; i < queries.size(); ++i) {
    ASSERT_TRUE(results[i]) << results[i].error().to_string();
    for (const pipeline::Chain& chain : results[i]->chains) {
      for (const pipeline::Step& step : chain) {
        EXPECT_LT(step.start, step.end);
        EXPECT_EQ(slice(queries[i].text, step.start, step.end), step.span) << queries[i].text;
        ++spans;
      }
    }
  }
  EXPECT_GT(spans, 50U);
}

}  // namespace
}  // namespace rex
