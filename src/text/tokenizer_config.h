// tokenizer_config.json: read only to be sure that it asks for the one behaviour we have.
#pragma once

#include <string_view>

#include "core/result.h"

namespace rex::text {

// Settings that are absent mean the library's defaults, which are ours. Settings without influence
// on ids are ignored.
// Errors: VOCABULARY_INVALID; `place` is "tokenizer_config.json/<key>" for an unsupported value.
Result<void> check_tokenizer_config(std::string_view json_text);

}  // namespace rex::text
