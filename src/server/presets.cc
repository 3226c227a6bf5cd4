#include "server/presets.h"

#include "core/mapped_file.h"
#include "tasks/task_table.h"

namespace rex::server {

Result<Presets> Presets::load(const std::filesystem::path& folder) {
  Presets presets;
  if (folder.empty()) return presets;
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error);
  if (error)
    return fail(ErrorCode::kFileNotFound, error.message(), "presets.dir (" + folder.string() + ")");
  for (const auto& file : files) {
    if (file.path().extension() != ".json") continue;
    REX_TRY(text, read_text_file(file.path(), size_t{1} << 20));
    auto json = parse_json(text);
    if (!json) return fail(std::move(json).error().in(file.path().string() + " "));
    if (!json->is_object() || !json->contains("schema") || !json->contains("task") ||
        !(*json)["task"].is_string()) {
      return fail(ErrorCode::kSettingInvalid, R"(a preset is {"task": "…", "schema": …})",
                  file.path().string());
    }
    auto row = tasks::find_task((*json)["task"].get<std::string>());
    if (!row) return fail(std::move(row).error().in(file.path().string() + " "));
    const std::string name = file.path().stem().string();
    (*json)["name"] = name;
    presets.presets_.emplace(name, *std::move(json));
  }
  return presets;
}

Result<const Json*> Presets::find(const std::string& name) const {
  const auto found = presets_.find(name);
  if (found == presets_.end()) {
    return fail(ErrorCode::kPresetUnknown, "there is no preset \"" + name + "\"", "/preset");
  }
  return &found->second;
}

Json Presets::list() const {
  Json list = Json::array();
  for (const auto& [name, preset] : presets_) list.push_back(preset);
  return list;
}

}  // namespace rex::server
