// The model's input forms: what each task asks for the reference's own examples. Rows of the
// shared vectors are rebuilt from client requests; a few copies keep the test useful without them.
#include <gtest/gtest.h>

#include "support/test_data.h"
#include "tasks/fake_model.h"

namespace rex::tasks {
namespace {

struct Form {
  const char* row;      // name in e2e/mini.jsonl
  const char* request;  // without text and schema unless they differ from the row's
  const char* text;     // own copy of the expected text; empty: only with the shared vectors
  const char* schema;   // canonical, own copy
};

constexpr const char* kCorefText =
    "因为周围的山水，早已是一派浑莽无际的绿色了。任何事物一旦达到某种限度，你就不能再给它增加什么了"
    "。";

const Form kForms[] = {
    {"coref_readme",
     R"({"task": "coref", "pronoun": "它", "candidates": [{"start": 24, "end": 26}]})",
     "[CLASSIFY]"
     "因为周围的山水，早已是一派浑莽无际的绿色了。任何事物（候选词）一旦达到某种限度，你就不能再给"
     "它(代词)增加什么了。",
     R"({"下面的句子中，代词“它”指代的是“事物”吗？是的":null,"下面的句子中，代词“它”指代的是“事物”吗？不是":null})"},
    {"match_readme",
     R"({"task": "matching", "text1": "高分子材料与工程排名", "text2": "高分子材料与工程专业的完整定义"})",
     "[CLASSIFY]段落1：高分子材料与工程排名；段落2：高分子材料与工程专业的完整定义",
     R"({"文本匹配：相似":null,"文本匹配：不相似":null})"},
    {"nli_readme",
     R"({"task": "nli", "premise": "呃,银行听说都要扣一点这个转手费", "hypothesis": "从未有银行扣过手续费"})",
     "[CLASSIFY]段落1：呃,银行听说都要扣一点这个转手费；段落2：从未有银行扣过手续费",
     R"({"段落2和段落1的关系是：蕴含":null,"段落2和段落1的关系是：矛盾":null,"段落2和段落1的关系是：中立":null})"},
    {"choice_readme",
     R"({"task": "reading", "question": "B为什么不坐飞机?", "choices": ["飞机票太贵", "时间来不及", "坐飞机头晕", "飞机票太便宜"]})",
     "",
     R"({"B为什么不坐飞机?飞机票太贵":null,"B为什么不坐飞机?时间来不及":null,"B为什么不坐飞机?坐飞机头晕":null,"B为什么不坐飞机?飞机票太便宜":null})"},
    {"mrc", R"({"task": "reading", "question": "青石渠位于哪里？"})", "",
     R"({"青石渠位于哪里？":null})"},
    {"mrc_two", R"({"task": "mrc", "questions": ["青石渠全长多少公里？", "工程总投资是多少？"]})",
     "", R"({"青石渠全长多少公里？":null,"工程总投资是多少？":null})"},
    {"absa_hash", R"({"task": "absa", "options": {"implicit_aspect": true}})",
     "#很满意，音质很好，发货速度快，值得购买", R"({"属性词":{"情感词":null}})"},
    {"absa_senti", R"({"task": "sentiment"})", "很满意，音质很好，发货速度快，值得购买",
     R"j({"属性词":{"正向情感(情感词)":null,"负向情感(情感词)":null,"中性情感(情感词)":null}})j"},
    {"senti_readme", R"({"task": "sentiment", "level": "sentence"})", "",
     R"({"正向情感":null,"负向情感":null})"},
    {"ee_readme", R"({"task": "event", "schema": {"胜负": ["时间", "败者", "胜者", "赛事名称"]}})",
     "", R"j({"胜负(事件触发词)":{"时间":null,"败者":null,"胜者":null,"赛事名称":null}})j"},
    {"hier_readme",
     R"({"task": "hierarchical", "schema": ["APP系统功能>蓝牙钥匙故障", "APP系统功能>界面显示异常",
        "APP系统功能>数据显示不准确", "APP系统功能>远程控制故障", "电器-附件>电子模块问题", "电器-附件>雨刮、洗涤器故障",
        "电器-附件>防盗报警系统", "电器-附件>定速巡航系统"]})",
     "",
     R"({"APP系统功能":{"蓝牙钥匙故障":null,"界面显示异常":null,"数据显示不准确":null,"远程控制故障":null},"电器-附件":{"电子模块问题":null,"雨刮、洗涤器故障":null,"防盗报警系统":null,"定速巡航系统":null}})"},
    {"hier_multi", R"({"task": "hierarchical", "multi": true, "schema": "row"})", "", ""},
    {"multi_readme", R"({"task": "multi_label", "schema": "row"})", "", ""},
    {"cls_readme", R"({"task": "classification", "schema": "row"})", "", ""},
    {"re_readme", R"({"task": "relation", "schema": "row"})", "", ""},
    {"ner_readme", R"({"task": "ner", "schema": "row"})", "", ""},
};

// The client's text behind a row's: marker, marks and `#` taken away.
std::string client_text(std::string text) {
  for (const char* mark : {"[CLASSIFY]", "[MULTICLASSIFY]", "（候选词）", "(代词)", "#"}) {
    if (const size_t at = text.find(mark); at != std::string::npos)
      text.erase(at, std::string(mark).size());
  }
  return text;
}

pipeline::Query query_of(const Form& form, std::string text, const Json& schema, bool reference) {
  Json body = parse_json(form.request).value();
  if (body.value("schema", Json()) == "row") body["schema"] = schema;
  const bool own_text = body.contains("text1") || body.contains("premise");
  if (!own_text) body["text"] = std::move(text);
  if (reference) body["options"]["behaviour"] = "reference";
  FakeModel model;
  model.answer(body.dump());
  EXPECT_EQ(model.queries.size(), 1U) << form.row;
  if (!model.queries.empty()) return model.queries[0];
  return {"", std::make_shared<schema::Schema>(), {}, {}};
}

TEST(InputForms, MatchTheReferencesExamples) {
  REX_NEED_SHARED_GOLDEN();
  size_t found = 0;
  for (const Json& row : read_jsonl(shared_golden_dir() / "e2e" / "mini.jsonl")) {
    for (const Form& form : kForms) {
      if (row["name"] != form.row) continue;
      ++found;
      const auto text = row["text"].get<std::string>();
      const auto query = query_of(form, client_text(text), row["schema"], true);
      EXPECT_EQ(query.text, text) << form.row;
      EXPECT_EQ(nlohmann::json(to_json(*query.schema)), nlohmann::json(row["schema"])) << form.row;
    }
  }
  EXPECT_EQ(found, std::size(kForms));
}

TEST(InputForms, MatchOurOwnCopies) {
  for (const Form& form : kForms) {
    if (*form.text == '\0') continue;
    const std::string client =
        std::string(form.row) == "coref_readme" ? kCorefText : client_text(form.text);
    const auto query = query_of(form, client, Json(), true);
    EXPECT_EQ(query.text, form.text) << form.row;
    EXPECT_EQ(to_json(*query.schema).dump(), form.schema) << form.row;
  }
}

TEST(InputForms, StandardBehaviourNamesTheKindInsteadOfTheMarker) {  // principle 5
  const auto query = query_of(kForms[0], kCorefText, Json(), false);
  EXPECT_EQ(query.text, std::string(kForms[0].text).substr(std::string("[CLASSIFY]").size()));
  EXPECT_EQ(query.kind, pipeline::TextKind::kSingleLabel);
}

}  // namespace
}  // namespace rex::tasks
