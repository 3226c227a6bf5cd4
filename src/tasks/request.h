// A request for one task, read from its JSON form and checked as far as possible without knowing
// the task: text, schema or labels, the task's own fields, options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/result.h"
#include "pipeline/query.h"
#include "tasks/task_table.h"

namespace rex::tasks {

// Bounds on what a client may send.
struct RequestLimits {
  int32_t max_text_chars = 1'000'000;
  int32_t max_depth = 6;          // of a schema
  int32_t max_labels = 1000;      // of a schema
  int32_t max_coref_pairs = 200;  // of pronoun and candidate; more are cut, nearest kept
};

struct TaskOptions {
  pipeline::QueryOptions query;
  std::optional<double> threshold;   // links; on multi-label texts the mean confidence (D28)
  bool implicit_aspect = false;      // absa, sentiment: `#` stands for an absent aspect (D13)
  bool event_suffix = true;          // event: add (事件触发词) to triggers without it
  int32_t top_k = 0;                 // class tasks: scores returned; 0: all
  double min_confidence = 0.0;       // classification: below it the answer is no label
  int32_t coref_max_distance = 150;  // chars between pronoun and candidate
  std::string label_template;        // class tasks: label as asked, with {label} and {group}
};

struct TaskRequest {
  const TaskRow* task = nullptr;
  std::string text;                 // may be empty for tasks that bring their own text fields
  std::optional<Json> schema;       // as sent, in any accepted form
  std::vector<std::string> labels;  // short form of a flat schema
  Json fields = Json::object();     // the task's own fields (TaskRow::fields), as sent
  std::vector<std::vector<std::string>> legal_paths;  // legal_output_type_list (P2)
  TaskOptions options;
  bool strict = false;  // soft problems are errors
  RequestLimits limits;
  Json id;                        // the client's own mark, returned unchanged
  std::vector<Warning> warnings;  // for example UNKNOWN_FIELD
};

// Reads `body` over `defaults`: what the body does not say is taken from there (task included).
// Common fields: task, text (input), schema (extraction_schema), labels (entity_types), options,
// id, strict, legal_output_type_list. Errors, each with a JSON pointer: TASK_UNKNOWN,
// TEXT_NOT_STRING, OPTION_TYPE, OPTION_RANGE, FIELD_CONFLICT (both of a pair of aliases, schema
// and labels), UNKNOWN_FIELD when strict, JSON_INVALID when `body` is no object.
Result<TaskRequest> read_request(const Json& body, const TaskRequest& defaults = {});

// The options of an `options` object, over what `options` holds. `place` is the pointer to it.
// An unknown name is a warning, or UNKNOWN_FIELD when strict.
Result<void> read_options(const Json& object, const std::string& place, bool strict,
                          TaskOptions& options, std::vector<Warning>& warnings);

}  // namespace rex::tasks
