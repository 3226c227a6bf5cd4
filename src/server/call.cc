#include "server/call.h"

#include "server/error_body.h"

namespace rex::server {

Result<Json> Call::body_json() const {
  if (request.body.empty()) return fail(ErrorCode::kBodyEmpty, "the body is empty", "body");
  auto json = parse_json(request.body);
  if (!json) {
    Error error = std::move(json).error();
    if (error.code == ErrorCode::kSchemaTooDeep) error.code = ErrorCode::kJsonInvalid;
    return fail(std::move(error));
  }
  if (!json->is_object()) {
    return fail(ErrorCode::kJsonInvalid,
                "expected an object, found " + std::string(json_kind(*json)), "body");
  }
  return json;
}

http::Response json_response(const Call& call, const Json& json, int status) {
  http::Response response;
  response.status = status;
  const auto pretty = call.request.parameter("pretty");
  response.body = dump(json, pretty && *pretty != "0" ? 2 : -1);
  response.body += '\n';
  return response;
}

}  // namespace rex::server
