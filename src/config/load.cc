#include "config/load.h"

#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "config/settings_table.h"
#include "core/mapped_file.h"

namespace rex::config {
namespace {

constexpr size_t kMostNodes = 10'000;  // aliases can make a small file large

// The value that a plain scalar stands for in YAML 1.2.
Json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // quoted
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  if (text.find_first_not_of("+-0123456789.eE") == std::string::npos) {
    if (const Json number = Json::parse(text[0] == '+' ? text.substr(1) : text, nullptr, false);
        number.is_number()) {
      return number;
    }
    double value = 0;  // "3.e-5" is a number in YAML
    if (YAML::convert<double>::decode(node, value)) return value;
  }
  return text;
}

Result<Json> to_json(const YAML::Node& node, size_t& nodes) {
  if (++nodes > kMostNodes) return fail(ErrorCode::kSettingInvalid, "the file is too large");
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& item : node) {
      REX_TRY(value, to_json(item, nodes));
      list.push_back(std::move(value));
    }
    return list;
  }
  if (node.IsMap()) {
    Json map = Json::object();
    for (const auto& item : node) {
      REX_TRY(value, to_json(item.second, nodes));
      map[item.first.Scalar()] = std::move(value);
    }
    return map;
  }
  if (node.IsScalar()) return scalar(node);
  return Json();
}

std::string at(const std::string& file, const YAML::Mark& mark) {
  if (mark.is_null()) return file;
  return file + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const SettingRow& row : settings_table()) names.push_back(row.name);
  return names;
}

// Whether all strings can be written as JSON, as messages and answers do.
bool is_utf8(const Json& value) {
  try {
    (void)value.dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

class Reader {
 public:
  // Puts one value in. `source` names where it came from.
  Result<void> set(const std::string& name, const Json& value, const std::string& source) {
    if (!is_utf8(value) || !is_utf8(name)) {
      return fail(ErrorCode::kSettingInvalid, "is not valid UTF-8; save the file as UTF-8", source);
    }
    const SettingRow* row = find_setting(name);
    if (row == nullptr) {
      const std::string near = nearest(name, all_names());
      return fail(ErrorCode::kSettingUnknown,
                  "there is no setting \"" + name + "\"" +
                      (near.empty() ? std::string() : "; did you mean \"" + near + "\"?"),
                  source);
    }
    auto read = row->read(value, loaded.settings);
    if (!read) {
      Error error = std::move(read).error();
      error.place = name + (source.empty() ? "" : " (" + source + ")");
      return fail(std::move(error));
    }
    if (!row->has_effect && std::find(loaded.without_effect.begin(), loaded.without_effect.end(),
                                      name) == loaded.without_effect.end()) {
      loaded.without_effect.push_back(name);
    }
    return {};
  }

  Result<void> read_node(const YAML::Node& node, const std::string& name, const std::string& file,
                         size_t& nodes) {
    if (++nodes > kMostNodes)
      return fail(ErrorCode::kSettingInvalid, "the file is too large", file);
    const std::string place = at(file, node.Mark());
    // checkpoint_layers, lora and device_map are maps and yet one setting.
    const bool is_group = node.IsMap() && find_setting(name) == nullptr;
    if (!is_group) {
      auto value = to_json(node, nodes);
      if (!value) return fail(std::move(value).error().in(place));
      // An empty group ("gpu_optimization: {}" or nothing behind the colon) says nothing.
      if (value->is_null() && is_prefix(name)) return {};
      return set(name, *value, place);
    }
    std::set<std::string> seen;
    for (const auto& item : node) {
      if (!item.first.IsScalar()) return fail(ErrorCode::kSettingInvalid, "expected a name", place);
      const std::string& key = item.first.Scalar();
      const std::string here = at(file, item.first.Mark());
      if (!seen.insert(key).second) {
        return fail(ErrorCode::kSettingInvalid, "\"" + key + "\" stands twice", here);
      }
      const std::string path = name.empty() ? key : name + "." + key;
      if (find_setting(path) == nullptr && !is_prefix(path)) return set(path, nullptr, here);
      REX_TRY_VOID(read_node(item.second, path, file, nodes));
    }
    return {};
  }

  Loaded loaded;

 private:
  static bool is_prefix(const std::string& name) {
    if (name == "model.gpu_optimization") return true;
    const auto& rows = settings_table();
    return std::any_of(rows.begin(), rows.end(),
                       [&](const SettingRow& row) { return row.name.starts_with(name + "."); });
  }
};

Result<Json> parse_value(const std::string& text, const std::string& source) {
  try {
    size_t nodes = 0;
    return to_json(YAML::Load(text), nodes);
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::kSettingInvalid, error.msg, source);
  }
}

Result<void> read_file(const std::filesystem::path& path, Reader& reader) {
  REX_TRY(text, read_text_file(path, size_t{1} << 20));
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return {};
    if (!root.IsMap()) {
      return fail(ErrorCode::kSettingInvalid, "expected settings as name: value", path.string());
    }
    size_t nodes = 0;
    return reader.read_node(root, "", path.string(), nodes);
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::kSettingInvalid, error.msg, at(path.string(), error.mark));
  }
}

// "REX_SERVER__PORT" → "server.port"; empty when it is not ours.
std::string setting_of_variable(std::string_view name) {
  constexpr std::string_view kPrefix = "REX_";
  if (!name.starts_with(kPrefix) || name.find("__") == std::string_view::npos) return {};
  std::string setting;
  name.remove_prefix(kPrefix.size());
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i, 2) == "__") {
      setting += '.';
      ++i;
    } else {
      setting += static_cast<char>(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    }
  }
  return setting;
}

Result<void> read_pair(const std::string& pair, const std::string& name, const std::string& source,
                       Reader& reader) {
  const size_t equals = pair.find('=');
  REX_TRY(value, parse_value(pair.substr(equals + 1), source));
  return reader.set(name, value, source);
}

size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::string& name, const std::vector<std::string>& names) {
  std::string best;
  size_t least = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& other : names) {
    size_t apart = distance(name, other);
    // The right name at the wrong place.
    if (other.ends_with("." + name.substr(name.rfind('.') + 1))) apart = std::min<size_t>(apart, 2);
    if (apart < least) {
      least = apart;
      best = other;
    }
  }
  return best;
}

Result<Loaded> load(const Sources& sources) {
  Reader reader;
  if (!sources.file.empty()) REX_TRY_VOID(read_file(sources.file, reader));
  for (const std::string& variable : sources.environment) {
    const std::string name = variable.substr(0, variable.find('='));
    const std::string setting = setting_of_variable(name);
    if (!setting.empty()) REX_TRY_VOID(read_pair(variable, setting, "$" + name, reader));
  }
  for (const std::string& flag : sources.flags) {
    const size_t equals = flag.find('=');
    if (equals == std::string::npos) {
      return fail(ErrorCode::kSettingInvalid, "expected NAME=VALUE, found \"" + flag + "\"",
                  "--set");
    }
    REX_TRY_VOID(read_pair(flag, flag.substr(0, equals), "--set " + flag, reader));
  }
  REX_TRY_VOID(check_together(reader.loaded.settings));
  return std::move(reader.loaded);
}

std::vector<std::string> process_environment() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  return all;
}

std::string describe() {
  std::string text;
  for (const SettingRow& row : settings_table()) {
    std::string name = row.name;
    name.resize(std::max<size_t>(name.size() + 1, 40), ' ');
    text += name + row.help + (row.has_effect ? "\n" : " (no effect)\n");
  }
  return text;
}

}  // namespace rex::config
