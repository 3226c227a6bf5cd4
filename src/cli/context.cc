#include "cli/context.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <iterator>

#include "core/mapped_file.h"

namespace rex::cli {
namespace {

constexpr size_t kMaxInputBytes = size_t{256} << 20;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

}  // namespace

bool Context::chinese() const {
  if (!lang.empty()) return lang == "zh";
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (const std::string_view value = environment(name); !value.empty())
      return value.starts_with("zh");
  }
  return false;
}

Json error_json(const Error& error) {
  const ErrorCodeRow& row = row_of(error.code);
  return {{"error", error.message},   {"code", row.name},   {"param", error.place},
          {"error_zh", row.title_zh}, {"hint", row.advice}, {"hint_zh", row.advice_zh}};
}

std::string error_line(const Error& error, bool chinese) {
  if (!chinese) return "error: " + error.to_string();
  std::string line("错误：");
  if (!error.place.empty()) line += error.place + "：";
  line.append(row_of(error.code).title_zh).append("（").append(error.message).append("）；");
  line += row_of(error.code).advice_zh;
  return line;
}

int Context::report(const Error& error) const {
  const std::string line = json ? dump(error_json(error)) : error_line(error, chinese());
  std::cerr << line << '\n';
  return row_of(error.code).exit_code;
}

void Context::warn(const std::vector<Warning>& warnings) const {
  for (const Warning& warning : warnings) {
    std::cerr << (chinese() ? "注意：" : "note: ");
    if (!warning.place.empty()) std::cerr << warning.place << ": ";
    std::cerr << warning.message << " (" << warning.code << ")\n";
  }
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string model_folder(const std::string& given) {
  if (!given.empty()) return given;
  if (const std::string_view set = environment("REXUNINLU_MODEL"); !set.empty())
    return std::string(set);
  return REX_DEFAULT_MODEL;
}

Result<std::string> read_input(const std::string& path) {
  if (path != "-") return read_text_file(path, kMaxInputBytes);
  std::string text;
  char buffer[1 << 16];
  while (std::cin.read(buffer, sizeof buffer), std::cin.gcount() > 0) {
    text.append(buffer, static_cast<size_t>(std::cin.gcount()));
    if (text.size() > kMaxInputBytes) {
      return fail(ErrorCode::kTextTooLong, "standard input holds more than 256 MiB", "-");
    }
  }
  return text;
}

bool is_terminal(int fd) {
  return ::isatty(fd) == 1;
}

bool use_colour() {
  return is_terminal(STDOUT_FILENO) && environment("NO_COLOR").empty();
}

}  // namespace rex::cli
