// Fields of the tools' JSON, each error with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/json.h"
#include "core/result.h"

namespace rex::eval::formats {

// The value of a key; null (a static one) when `object` is no object or lacks it.
const Json& value_at(const Json& object, std::string_view key);

// Errors: SAMPLE_INVALID with `place` + "/" + key when it is missing or of another kind.
Result<std::string> string_at(const Json& object, std::string_view key, const std::string& place);
Result<int64_t> integer_at(const Json& object, std::string_view key, const std::string& place);

// An identifier: a string as it is, a number as its digits, anything else empty.
std::string id_text(const Json& id);

// place + "/" + index.
std::string at(const std::string& place, size_t index);

// JSON on one line, as UTF-8.
std::string json_line(const Json& json);

}  // namespace rex::eval::formats
