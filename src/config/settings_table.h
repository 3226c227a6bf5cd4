// The table of settings: name, kind, range, meaning. The readers of file, environment and flags,
// `rexuninlu serve --settings` and the tests all go by it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "core/result.h"

namespace rex::config {

struct SettingRow {
  std::string name;  // "server.port"
  // Checks the value and puts it in. Errors: SETTING_INVALID.
  std::function<Result<void>(const Json& value, Settings& settings)> read;
  std::string help;
  bool has_effect = true;
  std::string default_value = {};  // as JSON
};

const std::vector<SettingRow>& settings_table();

// Null when there is no such setting. Knows the other places and names of the published articles:
// model.gpu_optimization.*, server.server_port, and the keys of inference.* at the top.
const SettingRow* find_setting(const std::string& name);

// Rules between settings. Errors: SETTING_INVALID.
Result<void> check_together(const Settings& settings);

}  // namespace rex::config
