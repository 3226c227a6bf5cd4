// Stored schemas: files NAME.json of a folder, read once at the start.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/json.h"
#include "core/result.h"

namespace rex::server {

// Immutable after load().
class Presets {
 public:
  // An empty path: no presets. Errors: FILE_NOT_FOUND, JSON_INVALID, SETTING_INVALID, with the
  // file.
  static Result<Presets> load(const std::filesystem::path& folder);

  // {"name", "task", "schema", "description"?}. Errors: PRESET_UNKNOWN.
  [[nodiscard]] Result<const Json*> find(const std::string& name) const;
  [[nodiscard]] Json list() const;

 private:
  std::map<std::string, Json> presets_;
};

}  // namespace rex::server
