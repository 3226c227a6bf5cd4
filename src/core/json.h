// Strict JSON for everything that comes from outside: nlohmann-json's parser with the checks that
// it leaves out. Objects keep their order. Repeated keys, nesting above a limit, lone surrogates
// and invalid UTF-8 are errors with a place.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace rex {

using Json = nlohmann::ordered_json;

struct JsonLimits {
  size_t max_depth = 64;
  // false: a repeated key keeps its first place and its last value (what Python does, P1).
  bool reject_duplicate_keys = true;
};

// Errors: JSON_INVALID with the byte position (1-based, in `place` as "byte N"),
// SCHEMA_DUPLICATE_KEY with a JSON pointer, SCHEMA_TOO_DEEP with a JSON pointer,
// ENCODING_INVALID for bytes that are not UTF-8.
Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// A key escaped for use in a JSON pointer (RFC 6901): ~ becomes ~0, / becomes ~1.
std::string pointer_escape(std::string_view key);

// [{"code", "message", "param"}, …], as every answer shows its warnings.
Json warnings_json(const std::vector<Warning>& warnings);

// "a number", "an object", … for messages.
std::string_view json_kind(const Json& value);

}  // namespace rex
