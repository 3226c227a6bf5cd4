// JSON inside a model folder: the strict parser of core/, with errors that speak of the model.
#pragma once

#include "core/json.h"

namespace rex::model {

// The longest JSON text accepted (config.json, safetensors header, shard index). A model of 64
// layers needs about 140 KiB; the limit also bounds the time that hostile text can take.
inline constexpr size_t kMaxJsonBytes = size_t{256} * 1024;

// An object, or `code` with the parser's finding. Requires text.size() <= kMaxJsonBytes.
Result<Json> parse_object(std::string_view text, ErrorCode code);

}  // namespace rex::model
