#include "program/run_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "support/temp_dir.h"

namespace rex::program {
namespace {

// In the child: never returns.
[[noreturn]] void execute(const Args& args, const Args& environment, const std::string& in,
                          const std::string& out, const std::string& err) {
  const int input = ::open(in.c_str(), O_RDONLY);
  const int output = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int errors = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(input, 0), ::dup2(output, 1), ::dup2(errors, 2);
  ::setenv("LANG", "C", 1), ::unsetenv("LC_ALL"), ::unsetenv("LC_MESSAGES"),
      ::unsetenv("REXUNINLU_MODEL");
  for (const std::string& setting : environment) {
    const size_t equals = setting.find('=');
    ::setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> argv;
  std::string program(REX_PROGRAM);
  argv.push_back(program.data());
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  ::execv(REX_PROGRAM, argv.data());
  ::_exit(127);
}

}  // namespace

Json Outcome::json() const {
  auto parsed = parse_json(out);
  EXPECT_TRUE(parsed) << out << err;
  return parsed ? *std::move(parsed) : Json();
}

int wait_for(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == pid;
}

Outcome run(const Args& args, const std::string& input, const Args& environment) {
  TempDir dir;
  const std::string in = dir.write("in", input).string();
  const std::string out = (dir.path() / "out").string(), err = (dir.path() / "err").string();
  const pid_t pid = ::fork();
  if (pid == 0) execute(args, environment, in, out, err);
  Outcome outcome;
  outcome.exit_code = wait_for(pid);
  outcome.out = content(out);
  outcome.err = content(err);
  return outcome;
}

pid_t start(const Args& args) {
  const pid_t pid = ::fork();
  if (pid == 0) execute(args, {}, "/dev/null", "/dev/null", "/dev/null");
  return pid;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    auto json = parse_json(line);
    EXPECT_TRUE(json) << line;
    if (json) lines.push_back(*std::move(json));
  }
  return lines;
}

}  // namespace rex::program
