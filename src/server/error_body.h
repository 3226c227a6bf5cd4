// Errors as HTTP answers: one shape on every route.
#pragma once

#include <string>
#include <string_view>

#include "core/json.h"
#include "core/result.h"
#include "http/message.h"

namespace rex::server {

// {"error", "error_zh", "error_type", "code", "status", "param", "hint", "hint_zh", "details",
// "request_id"}; `error` is always a string.
Json error_json(const Error& error, std::string_view request_id);
http::Response error_response(const Error& error, std::string_view request_id);

// The family of a status: bad_request, auth, not_found, too_large, validation, overloaded,
// internal, unavailable.
std::string_view error_type(int status);

// Seconds after which the same request may go well, 0 when it never will by waiting.
int retry_after_s(ErrorCode code);

// JSON as text; bytes that are not UTF-8 (only possible in messages) are replaced.
std::string dump(const Json& json, int indent = -1);

}  // namespace rex::server
