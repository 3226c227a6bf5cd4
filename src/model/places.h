// The place of an error inside a file of the model folder.
#pragma once

#include <filesystem>

#include "core/result.h"

namespace rex::model {

// "path", "path/key" for a JSON pointer, otherwise "path, place".
inline Error at_file(Error error, const std::filesystem::path& path) {
  const bool joined = error.place.empty() || error.place.front() == '/';
  return std::move(error).in(path.string() + (joined ? "" : ", "));
}

}  // namespace rex::model
