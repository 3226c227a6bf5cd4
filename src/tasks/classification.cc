// One label for the whole text.
#include "tasks/class_reading.h"

namespace rex::tasks {

Result<Work> start_classification(const TaskRequest& request) {
  std::vector<Warning> warnings;
  REX_TRY(text, require_text(request));
  REX_TRY(schema, schema_value(request));
  REX_TRY(labels, labels_of_request(request, schema, warnings));
  return ask_single_label(std::move(text), std::move(labels), request, std::move(warnings));
}

}  // namespace rex::tasks
