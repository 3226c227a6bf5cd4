// Any bytes as the body of a request: JSON, its fields, and the queries that its task makes of
// them. Nothing may be thrown, and an error has a message.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/json.h"
#include "tasks/request.h"
#include "tasks/task_table.h"
#include "tasks/work.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto body = rex::parse_json({reinterpret_cast<const char*>(data), size});
  if (!body) return body.error().message.empty() ? std::abort(), 0 : 0;
  auto request = rex::tasks::read_request(*body);
  if (!request) {
    if (request.error().message.empty()) std::abort();
    return 0;
  }
  request->limits.max_text_chars = 10'000;
  const auto work = request->task->start(*request);
  if (!work && work.error().message.empty()) std::abort();
  return 0;
}
