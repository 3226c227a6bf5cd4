// Runs the real program, as a user does, and keeps what it said.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/json.h"

namespace rex::program {

struct Outcome {
  int exit_code = -1;  // -signal when a signal ended it
  std::string out;
  std::string err;

  // Standard output as one JSON value; fails the test when it is none.
  [[nodiscard]] Json json() const;
};

using Args = std::vector<std::string>;

// Waits for the end. Standard input is `input`. LANG is C unless `environment` ("NAME=value") says
// otherwise.
Outcome run(const Args& args, const std::string& input = "", const Args& environment = {});

// Starts it with standard output and error thrown away; the caller ends and waits for it.
pid_t start(const Args& args);
bool has_ended(pid_t pid);
// Waits for `pid`; exit code, or -signal.
int wait_for(pid_t pid);

// A file whole.
std::string content(const std::string& path);
// The JSON lines of a file. Fails the test on a broken line.
std::vector<Json> json_lines(const std::string& text);

}  // namespace rex::program
