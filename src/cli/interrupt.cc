#include "cli/interrupt.h"

#include <signal.h>

#include <chrono>

namespace rex::cli {
namespace {

volatile sig_atomic_t g_signalled = 0;  // set by the handler, read by the watcher

void handle(int) {
  g_signalled = 1;
}

void install(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  // The handler serves once: the next signal of that kind meets the default and ends the program.
  if (handler == handle) action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  g_signalled = 0;
  install(handle);
  watcher_ = std::jthread([this](const std::stop_token& end) {
    while (!end.stop_requested() && g_signalled == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (g_signalled != 0) source_.request_stop();
  });
}

Interrupt::~Interrupt() {
  install(SIG_DFL);
}

}  // namespace rex::cli
