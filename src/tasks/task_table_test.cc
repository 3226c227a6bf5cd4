#include "tasks/task_table.h"

#include <gtest/gtest.h>

#include <set>

#include "tasks/run.h"

namespace rex::tasks {
namespace {

TEST(TaskTable, RowsStandInTheOrderOfTheEnumerators) {
  ASSERT_EQ(kTasks.size(), 11U);
  for (size_t i = 0; i < kTasks.size(); ++i) EXPECT_EQ(static_cast<size_t>(kTasks[i].id), i);
}

TEST(TaskTable, NamesAndAliasesAreUnique) {
  std::set<std::string> names;
  for (const TaskRow& row : kTasks) {
    EXPECT_TRUE(names.insert(std::string(row.name)).second) << row.name;
    std::string_view rest = row.aliases;
    while (!rest.empty()) {
      const size_t end = rest.find(' ');
      EXPECT_TRUE(names.insert(std::string(rest.substr(0, end))).second) << rest;
      rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    }
  }
}

TEST(TaskTable, FindsByNameAliasAndCase) {
  EXPECT_EQ(find_task("ner").value()->id, TaskId::kNer);
  EXPECT_EQ(find_task("re").value()->id, TaskId::kRelation);
  EXPECT_EQ(find_task("EE").value()->id, TaskId::kEvent);
  EXPECT_EQ(find_task("tc").value()->id, TaskId::kClassification);
  EXPECT_EQ(find_task("Multi-Label").value()->id, TaskId::kMultiLabel);
  EXPECT_EQ(find_task("mrc").value()->id, TaskId::kReading);
  EXPECT_EQ(find_task("nli").value()->id, TaskId::kMatching);
  EXPECT_EQ(find_task("指代消解").value()->id, TaskId::kCoref);
}

TEST(TaskTable, UnknownNameListsTheTasks) {
  const auto found = find_task("translate");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kTaskUnknown);
  EXPECT_NE(found.error().message.find("ner, relation"), std::string::npos);
  EXPECT_FALSE(find_task(""));
}

TEST(TaskTable, EveryExampleIsAValidRequest) {
  for (const TaskRow& row : kTasks) {
    Json body = {{"task", row.name}, {"text", row.example_text}};
    if (!row.example_schema.empty()) body["schema"] = parse_json(row.example_schema).value();
    const auto request = read_request(body);
    ASSERT_TRUE(request) << row.name;
    const auto work = row.start(*request);
    EXPECT_TRUE(work) << row.name << ": " << (work ? "" : work.error().to_string());
    if (work) {
      EXPECT_FALSE(work->queries.empty()) << row.name;
    }
  }
}

}  // namespace
}  // namespace rex::tasks
