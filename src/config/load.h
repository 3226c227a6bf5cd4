// Settings from a file, the environment and flags, in rising order of strength.
//
// Environment: REX_ and the setting's name in capitals with __ for dots, as in REX_SERVER__PORT.
// Flags: name=value. Values there are written as in YAML.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/settings.h"
#include "core/result.h"

namespace rex::config {

struct Sources {
  std::filesystem::path file;            // YAML or JSON; empty: none
  std::vector<std::string> environment;  // "REX_SERVER__PORT=8000"; others are ignored
  std::vector<std::string> flags;        // "server.port=8000"
};

struct Loaded {
  Settings settings;
  // Settings that are accepted for the sake of other programs' files and change nothing here.
  std::vector<std::string> without_effect;
};

// Errors, with file and line where there is one: FILE_NOT_FOUND, SETTING_INVALID,
// SETTING_UNKNOWN with the nearest name.
Result<Loaded> load(const Sources& sources);

// The variables of this process.
std::vector<std::string> process_environment();

// Name, default and meaning of every setting, one a line (`rexuninlu serve --settings`).
std::string describe();

// The name among `names` with the fewest differing letters; empty when none is near.
std::string nearest(const std::string& name, const std::vector<std::string>& names);

}  // namespace rex::config
