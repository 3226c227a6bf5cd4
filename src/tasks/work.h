// A task at work: the queries that it needs from the model, and the reading of their answers into
// what the client gets. Most tasks need one round; coreference without candidates needs two.
#pragma once

#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "core/json.h"
#include "core/result.h"
#include "pipeline/query.h"
#include "tasks/task_table.h"

namespace rex::tasks {

// The answer to one request. Offsets are chars of the client's own text.
struct TaskAnswer {
  const TaskRow* task = nullptr;
  std::vector<pipeline::Chain> chains;  // `output`; a step without a place in the text has start -1
  bool with_confidence = true;          // false where the original has none (D28, D31)
  Json result;                          // the task's own form
  pipeline::Usage usage;                // summed over the queries
  std::vector<Warning> warnings;
};

// {"task", "output", "result", "usage", "warnings"}. Steps have the keys type, span, offset,
// confidence in this order (D30); span and offset are null for steps without a place.
Json to_json(const TaskAnswer& answer);
Json output_json(const TaskAnswer& answer);

struct Work;
using Reply = std::variant<TaskAnswer, std::unique_ptr<Work>>;  // the answer, or a further round

struct Work {
  std::vector<pipeline::Query> queries;  // may be empty
  std::vector<Warning> warnings;         // of the preparation
  // Gets one answer for each query, in order. Usage and warnings of the answers are added by the
  // caller (run.h).
  std::function<Result<Reply>(std::vector<pipeline::Answer> answers)> read;
};

}  // namespace rex::tasks
