// Recognises what often lies where a checkpoint should be.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace rex::model {

// What the file is and what to do, or empty when its first bytes tell nothing: a Git LFS pointer,
// a web page, JSON or other text, torch's format before 1.6, a bare pickle, a zip or gzip archive,
// safetensors. The readers ask only after their own format has not been found.
std::string_view describe_foreign_file(std::span<const std::byte> file);

}  // namespace rex::model
