#include "server/error_body.h"

namespace rex::server {

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string_view error_type(int status) {
  switch (status) {
    case 401:
    case 403: return "auth";
    case 404: return "not_found";
    case 413: return "too_large";
    case 422: return "validation";
    case 429: return "overloaded";
    case 503: return "unavailable";
    default: return status >= 500 ? "internal" : "bad_request";
  }
}

int retry_after_s(ErrorCode code) {
  switch (code) {
    case ErrorCode::kQueueFull:
    case ErrorCode::kGpuMemoryExhausted:
    case ErrorCode::kQueueTimeout:
    case ErrorCode::kMemoryExhausted: return 1;
    case ErrorCode::kRateLimit:
    case ErrorCode::kNotReady: return 2;
    case ErrorCode::kDraining:
    case ErrorCode::kRequestTimeout: return 5;
    default: return 0;
  }
}

Json error_json(const Error& error, std::string_view request_id) {
  const ErrorCodeRow& row = row_of(error.code);
  Json body = {{"error", error.message},
               {"error_zh", row.title_zh},
               {"error_type", error_type(row.http_status)},
               {"code", row.name},
               {"status", row.http_status},
               {"param", error.place},
               {"hint", row.advice},
               {"hint_zh", row.advice_zh}};
  if (const int seconds = retry_after_s(error.code); seconds > 0) {
    body["details"] = {{"retry_after_ms", seconds * 1000}};
  }
  body["request_id"] = request_id;
  return body;
}

http::Response error_response(const Error& error, std::string_view request_id) {
  http::Response response;
  response.status = row_of(error.code).http_status;
  response.body = dump(error_json(error, request_id)) + "\n";
  if (const int seconds = retry_after_s(error.code); seconds > 0) {
    response.headers.emplace_back("Retry-After", std::to_string(seconds));
  }
  return response;
}

}  // namespace rex::server
