// What several tasks share: schemas and queries in the model's input form, and pieces of the
// answer as JSON.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "pipeline/query.h"
#include "schema/schema.h"
#include "tasks/request.h"
#include "tasks/work.h"

namespace rex::tasks {

using SchemaPtr = std::shared_ptr<const schema::Schema>;

bool is_reference(const TaskRequest& request);

// The request's text. Errors: TEXT_MISSING (none, or nothing but white space; the reference
// behaviour takes both, Q23), TEXT_TOO_LONG, ENCODING_INVALID.
Result<std::string> require_text(const TaskRequest& request);
// The same checks for a text from another field, named by its pointer.
Result<std::string> check_text(std::string text, const std::string& place,
                               const TaskRequest& request);

// The schema as sent, with JSON inside a string opened; labels as a list; the task's default when
// neither is given. Errors: SCHEMA_MISSING, those of parse_json().
Result<Json> schema_value(const TaskRequest& request);

// Parses a schema within the request's limits; warnings of parsing are appended to `warnings`.
// Errors carry /schema (or /labels) before their pointer. The reference behaviour reads the forms
// that the original knows as the original does, and takes the others too.
Result<schema::Schema> parse_tree(const Json& value, const TaskRequest& request,
                                  std::vector<Warning>& warnings);

// A flat schema of exactly these labels; checked like any other.
Result<SchemaPtr> flat_schema(const std::vector<std::string>& labels, const TaskRequest& request,
                              std::vector<Warning>& warnings);

// A query of the given kind. In the reference behaviour the text gets its marker in front (P4).
pipeline::Query make_query(std::string text, SchemaPtr schema, pipeline::TextKind kind,
                           const TaskRequest& request);

// An empty answer to fill.
TaskAnswer begin_answer(const TaskRequest& request, pipeline::TextKind kind);

// Adds RESULT_EMPTY when an extraction found nothing.
void warn_if_empty(TaskAnswer& answer);

// {"label", "text", "start", "end", "confidence"}; without the label when it is empty.
Json span_json(const pipeline::Step& step, std::string_view label = {});

// "简称(组织机构)" → {"简称", "组织机构"}; full-width brackets too; no brackets: second part empty.
struct TypedLabel {
  std::string name;
  std::string type;
};
TypedLabel split_label(std::string_view label);

// Product and mean of a chain's confidences, rounded to 4 decimals.
double chain_product(const pipeline::Chain& chain);
double chain_mean(const pipeline::Chain& chain);
double round4(double value);

}  // namespace rex::tasks
