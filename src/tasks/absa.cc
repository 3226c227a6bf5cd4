// Aspects and the opinions on them, with the default schema {"属性词": {"情感词": null}}.
#include "tasks/aspects.h"

namespace rex::tasks {

Result<Work> start_absa(const TaskRequest& request) {
  return ask_aspects(request, nullptr);
}

}  // namespace rex::tasks
