// Progress of a long run on standard error: one line that changes on a terminal, a plain line now
// and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace rex::cli {

// One thread.
class Progress {
 public:
  // `total` in the unit of update()'s `done`; -1 when unknown.
  explicit Progress(int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Work done so far, and how many items that were.
  void update(int64_t done, int64_t items);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string line(int64_t done, int64_t items, double seconds) const;

  int64_t total_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace rex::cli
