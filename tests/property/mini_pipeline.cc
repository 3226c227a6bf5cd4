#include "property/mini_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/cpu/cpu_engine.h"
#include "model/weights.h"
#include "support/test_data.h"

namespace rex {
namespace {

using pipeline::TextKind;

std::unique_ptr<pipeline::Pipeline> load_mini() {
  auto tokenizer = text::Tokenizer::load(mini_model_dir());
  auto weights = model::load_weights(mini_model_dir());
  auto engine = engine::make_cpu_engine(weights.value(), {.threads = 2, .limits = {}});
  return std::make_unique<pipeline::Pipeline>(tokenizer.value(), std::move(engine).value());
}

std::string shown(const std::vector<pipeline::Chain>& chains) {
  std::string text;
  for (const pipeline::Chain& chain : chains) {
    for (const pipeline::Step& step : chain) {
      text += step.label + " \"" + step.span + "\" " + std::to_string(step.start) + "-" +
              std::to_string(step.end) + " " + std::to_string(step.confidence) + "; ";
    }
    text += "\n";
  }
  return text;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += "第" + std::to_string(i) +
            "天，江城大学校长陈立群在武汉会见了远航芯片有限公司董事长周慧敏，双方签署了合作协议。"
            "随后李春生从南京出发前往北京，参加了全国科技创新大会。";
  }
  return text;
}

}  // namespace

pipeline::Pipeline& mini_pipeline() {
  static const std::unique_ptr<pipeline::Pipeline> loaded = load_mini();
  return *loaded;
}

pipeline::Query make_query(std::string text, const std::string& schema_json, TextKind kind) {
  auto schema = schema::parse_schema_text(schema_json);
  EXPECT_TRUE(schema) << schema.error().to_string();
  return {std::move(text), std::make_shared<const schema::Schema>(*std::move(schema)), kind, {}};
}

std::vector<pipeline::Query> mixed_queries() {
  const std::string ner = R"J(["人物","地理位置","组织机构","时间"])J";
  return {
      make_query("1944年毕业于北大的名古屋铁道会长谷口清太郎等人在日本积极筹资，共筹款2.7亿日元。",
                 ner),
      make_query("北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。", ner),
      make_query(long_text(), R"J(["人物","组织机构"])J"),
      make_query(
          "远航芯片有限公司董事长周慧敏1968年出生于湖南岳阳，公司总部位于武汉市东湖新区。",
          R"J({"组织机构":["董事长(人物)","总部地点(地理位置)"],"人物":["出生日期(日期)","出生地(地理位置)"]})J"),
      make_query("昨晚，湖人以112:108战胜勇士；同日，快船后卫因伤宣布退役。",
                 R"J({"胜负(事件触发词)":["时间","败者","胜者"],"退役(事件触发词)":["时间","退役者"]
})J"),
      make_query("很满意，音质很好，发货速度快，值得购买", R"J({"属性词":["情感词"]})J"),
      make_query("青石渠位于云州市西北部的石门山区，东起柳河水库，全长68公里。",
                 R"J(["青石渠位于哪里？","青石渠全长多少公里？"])J"),
      make_query("学校召开2018届升学及出国深造毕业生座谈会就业指导",
                 R"J(["民生","文化","娱乐","体育","财经","教育"])J", TextKind::kSingleLabel),
      make_query(long_text(), R"J(["科技","体育","财经"])J", TextKind::kSingleLabel),
      make_query("《格林童话》是德国民间故事集，由格林兄弟收集整理。",
                 R"J(["民间故事","童话","科幻","历史"])J", TextKind::kMultiLabel),
      make_query(
          "雨刷刮不干净怎么办",
          R"J({"APP系统功能":["蓝牙钥匙故障","界面显示异常"],"电器-附件":["电子模块问题","雨刮、洗涤器故障"]})J",
          TextKind::kSingleLabel),
      make_query("", ner),
      make_query("坏\xff", ner),
  };
}

std::string shown(const Result<pipeline::Answer>& result) {
  if (!result) return result.error().to_string();
  std::string text = "chains:\n" + shown(result->chains) + "inner:\n" + shown(result->inner);
  std::vector<std::string> scores;
  for (const pipeline::LabelScore& score : result->scores) {
    scores.push_back(schema::path_text(score.path) + " " + std::to_string(score.confidence) +
                     (score.linked ? " linked\n" : "\n"));
  }
  std::sort(scores.begin(), scores.end());  // their order is the schema's
  for (const std::string& score : scores) text += score;
  for (const Warning& warning : result->warnings) text += warning.code + " " + warning.place + "\n";
  return text + (result->fallback ? "fallback" : "");
}

}  // namespace rex
