#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/context.h"

namespace rex::cli {

Progress::Progress(int64_t total) : total_(total), terminal_(is_terminal(STDERR_FILENO)) {}

Progress::~Progress() {
  if (terminal_ && shown_) std::fputc('\n', stderr);
}

std::string Progress::line(int64_t done, int64_t items, double seconds) const {
  const auto format = [](const char* form, double value) {
    char text[48];
    std::snprintf(text, sizeof text, form, value);
    return std::string(text);
  };
  const double rate = seconds > 0 ? static_cast<double>(items) / seconds : 0.0;
  std::string numbers = std::to_string(items) + " done, " + format("%.1f/s", rate);
  if (total_ <= 0) return numbers;
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  std::string bar;
  if (terminal_) {
    for (int i = 0; i < 24; ++i) bar += i < part * 24 ? "█" : "░";
    bar += ' ';
  }
  const double left = part > 0 ? seconds * (1 - part) / part : 0.0;
  return bar + format("%.1f %%, ", part * 100) + numbers + format(", %.0f s left", left);
}

void Progress::update(int64_t done, int64_t items) {
  const auto now = Clock::now();
  const bool last = total_ > 0 && done >= total_;
  const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000);
  if (!last && now - last_ < pause) return;
  last_ = now;
  const std::string text = line(done, items, std::chrono::duration<double>(now - start_).count());
  std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", text.c_str());
  shown_ = true;
}

}  // namespace rex::cli
