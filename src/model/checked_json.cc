#include "model/checked_json.h"

#include "core/check.h"

namespace rex::model {

Result<Json> parse_object(std::string_view text, ErrorCode code) {
  REX_CHECK(text.size() <= kMaxJsonBytes, "the caller bounds the text");
  Result<Json> json = parse_json(text);
  if (!json) {
    Error error = std::move(json).error();
    error.code = code;
    return fail(std::move(error));
  }
  if (!json->is_object()) {
    return fail(code, "expected a JSON object, found " + std::string(json_kind(*json)));
  }
  return json;
}

}  // namespace rex::model
