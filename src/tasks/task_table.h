// The eleven tasks: one row each, the single source of names, aliases, fields and defaults. Routes,
// help texts and documents derive from it. A new task is a row here and a file beside it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace rex::tasks {

struct TaskRequest;
struct Work;

enum class TaskId : uint8_t {
  kNer,
  kRelation,
  kEvent,
  kAbsa,
  kSentiment,
  kCoref,
  kClassification,
  kMultiLabel,
  kHierarchical,
  kMatching,
  kReading,
};

struct TaskRow {
  TaskId id;
  std::string_view name;     // stable, for programs
  std::string_view aliases;  // other accepted names, separated by blanks
  std::string_view name_zh;
  std::string_view name_en;
  std::string_view fields;          // the task's own request fields, separated by blanks
  std::string_view default_schema;  // JSON, used when the request gives none; empty: required
  std::string_view example_text;    // for help pages
  std::string_view example_schema;
  // Checks the request and builds its queries and the reading of their answers.
  Result<Work> (*start)(const TaskRequest& request);
};

Result<Work> start_ner(const TaskRequest& request);
Result<Work> start_relation(const TaskRequest& request);
Result<Work> start_event(const TaskRequest& request);
Result<Work> start_absa(const TaskRequest& request);
Result<Work> start_sentiment(const TaskRequest& request);
Result<Work> start_coref(const TaskRequest& request);
Result<Work> start_classification(const TaskRequest& request);
Result<Work> start_multi_label(const TaskRequest& request);
Result<Work> start_hierarchical(const TaskRequest& request);
Result<Work> start_matching(const TaskRequest& request);
Result<Work> start_reading(const TaskRequest& request);

inline constexpr std::string_view kAspectSchema = R"({"属性词": {"情感词": null}})";
inline constexpr std::string_view kPolaritySchema =
    R"j({"属性词": {"正向情感(情感词)": null, "负向情感(情感词)": null, "中性情感(情感词)": null}})j";

// Rows stand in the order of the enumerators; task_table_test checks it.
inline constexpr std::array kTasks = {
    TaskRow{TaskId::kNer, "ner", "entities", "命名实体识别", "named entities", "", "",
            "北大西洋议会春季会议26日在西班牙巴塞罗那闭幕。", R"(["人物", "地理位置", "组织机构"])",
            start_ner},
    TaskRow{TaskId::kRelation, "relation", "re", "关系抽取", "relations", "", "",
            "远航芯片有限公司董事长周慧敏1968年出生于湖南岳阳。",
            R"j({"组织机构": ["董事长(人物)", "总部地点(地理位置)"]})j", start_relation},
    TaskRow{TaskId::kEvent, "event", "ee", "事件抽取", "events", "", "",
            "7月28日，天津泰达在德比战中以0-1负于天津天海。",
            R"({"胜负": ["时间", "败者", "胜者", "赛事名称"]})", start_event},
    TaskRow{TaskId::kAbsa, "absa", "aspect", "属性情感抽取", "aspects and opinions", "",
            kAspectSchema, "很满意，音质很好，发货速度快，值得购买", kAspectSchema, start_absa},
    TaskRow{TaskId::kSentiment, "sentiment", "", "细粒度情感分类", "fine-grained sentiment",
            "level", kPolaritySchema, "很满意，音质很好，发货速度快，值得购买", kPolaritySchema,
            start_sentiment},
    TaskRow{TaskId::kCoref, "coref", "coreference", "指代消解", "coreference",
            "pronoun candidates candidate_schema", R"(["人物", "组织机构", "地理位置", "物品"])",
            "任何事物一旦达到某种限度，你就不能再给它增加什么了。", "", start_coref},
    TaskRow{TaskId::kClassification, "classification", "tc classify", "文本分类",
            "text classification", "", "", "学校召开2018届升学及出国深造毕业生座谈会就业指导",
            R"(["民生", "文化", "娱乐", "体育", "财经", "教育"])", start_classification},
    TaskRow{TaskId::kMultiLabel, "multi_label", "multilabel", "多标签分类", "multi-label", "", "",
            "《格林童话》是德国民间故事集。", R"(["民间故事", "童话", "科幻", "历史"])",
            start_multi_label},
    TaskRow{TaskId::kHierarchical, "hierarchical", "hier", "层次分类",
            "hierarchical classification", "multi stop_early", "", "雨刷刮不干净怎么办",
            R"({"APP系统功能": ["蓝牙钥匙故障", "界面显示异常"],
                "电器-附件": ["电子模块问题", "雨刮、洗涤器故障"]})",
            start_hierarchical},
    TaskRow{TaskId::kMatching, "matching", "nli match", "文本匹配 / 推理", "matching and inference",
            "text1 text2 premise hypothesis query title pair mode prompt symmetric", "",
            "段落1：高分子材料与工程排名；段落2：高分子材料与工程专业的完整定义", "",
            start_matching},
    TaskRow{TaskId::kReading, "reading", "mrc", "阅读理解", "reading comprehension",
            "question questions choices 问题 段落", "",
            "青石渠位于云州市西北部的石门山区，全长68公里。", R"(["青石渠位于哪里？"])",
            start_reading},
};

constexpr const TaskRow& row_of(TaskId id) {
  return kTasks[static_cast<size_t>(id)];
}

// True when `word` is one of the blank-separated words of `list`.
bool has_word(std::string_view list, std::string_view word);

// By name or alias, upper or lower case, `-` read as `_`. Errors: TASK_UNKNOWN, naming the tasks.
Result<const TaskRow*> find_task(std::string_view name);

}  // namespace rex::tasks
