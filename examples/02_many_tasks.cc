// Several tasks in one call; they are computed together. Usage: 02_many_tasks MODEL_DIR
#include <cstdio>

#include "rexuninlu/rexuninlu.h"

int main(int argc, char** argv) {
  const auto analyzer = rexuninlu::Analyzer::load(argc > 1 ? argv[1] : "models/mini");
  if (!analyzer) {
    std::fprintf(stderr, "%s\n", analyzer.error().to_string().c_str());
    return 1;
  }
  const rexuninlu::Request requests[] = {
      {.task = "relation",
       .text = "远航芯片有限公司董事长周慧敏1968年出生于湖南岳阳。",
       .schema = R"j({"组织机构": ["董事长(人物)", "总部地点(地理位置)"]})j"},
      {.task = "classification",
       .text = "学校召开2018届升学及出国深造毕业生座谈会就业指导",
       .labels = {"民生", "文化", "娱乐", "体育", "财经", "教育"}},
      {.task = "matching",
       .text = "",
       .fields_json = R"({"text1": "怎么退货", "text2": "如何申请退货"})"},
      {.task = "ner", .text = "", .labels = {"人物"}},  // no text: this one fails, alone
  };
  for (const rexuninlu::Outcome& outcome : analyzer->analyze(requests)) {
    std::printf("%s\n",
                outcome ? outcome->result_json.c_str() : outcome.error().to_string().c_str());
  }
  return 0;
}
