// What all sub-commands share: the global flags, and how errors and warnings reach the user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/result.h"

namespace rex::cli {

struct Context {
  bool json = false;  // --json: answers and errors as JSON
  std::string lang;   // --lang: en or zh; empty: from LC_ALL, LC_MESSAGES, LANG
  int exit_code = 0;

  [[nodiscard]] bool chinese() const;

  // Prints one clear line (or one JSON object) on standard error and returns the exit code that
  // belongs to the error's code.
  [[nodiscard]] int report(const Error& error) const;
  // Runs a command that may fail.
  void finish(const Result<int>& result) { exit_code = result ? *result : report(result.error()); }
  void warn(const std::vector<Warning>& warnings) const;
};

// {"code", "error", "error_zh"?, "param", "hint"} of an error, as in the HTTP interface.
Json error_json(const Error& error);
// One line for people in either language.
std::string error_line(const Error& error, bool chinese);

// JSON as text; bytes that are not UTF-8 (only possible in messages) are replaced.
std::string dump(const Json& json, int indent = -1);

// The model folder to use: as given, else $REXUNINLU_MODEL, else the small model of this project.
std::string model_folder(const std::string& given);

// A whole file, or standard input for "-"; at most 256 MiB.
Result<std::string> read_input(const std::string& path);

// True when file descriptor `fd` is a terminal.
bool is_terminal(int fd);
// Colours on standard output: a terminal, and NO_COLOR is not set.
bool use_colour();

}  // namespace rex::cli
