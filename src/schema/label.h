// The name of a label: trimming and checks.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace rex::schema {

// `raw` without surrounding white space (everything Unicode calls so, U+3000 included, Q11).
// Errors: ENCODING_INVALID, LABEL_EMPTY, LABEL_TOO_LONG (over kMaxLabelChars), SCHEMA_REF for the
// reserved names `$ref` and `$defs`; `place` is the given pointer.
Result<std::string> clean_label(std::string_view raw, const std::string& place);

}  // namespace rex::schema
