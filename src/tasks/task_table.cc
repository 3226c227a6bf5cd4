#include "tasks/task_table.h"

namespace rex::tasks {

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t end = list.find(' ');
    if (!word.empty() && list.substr(0, end) == word) return true;
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
  }
  return false;
}

Result<const TaskRow*> find_task(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    folded += c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  std::string known;
  for (const TaskRow& row : kTasks) {
    if (row.name == folded || has_word(row.aliases, folded) || row.name_zh == name) return &row;
    known += known.empty() ? "" : ", ";
    known += row.name;
  }
  return fail(ErrorCode::kTaskUnknown,
              "no task is called \"" + std::string(name) + "\"; there are " + known, "/task");
}

}  // namespace rex::tasks
