// How fast a saturated pool finishes its jobs, from the last ones that it finished: what a job that
// joins the queue now has to expect.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>

namespace rex::runtime {

// Not thread-safe.
class ServiceRate {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kEnough = 32;  // fewer say nothing yet
  static constexpr size_t kMost = 256;

  // A job has ended while others waited.
  void finished(Clock::time_point now) {
    if (ends_.size() == kMost) ends_.pop_front();
    ends_.push_back(now);
  }

  // Nobody waits any more: an idle pool's times are not its speed.
  void forget() { ends_.clear(); }

  // Seconds until `jobs` have ended, those first that are ahead. Nothing while too few have ended.
  // A pool that has come to a stop counts as ever slower.
  [[nodiscard]] std::optional<double> seconds_for(size_t jobs, Clock::time_point now) const {
    if (ends_.size() < kEnough) return std::nullopt;
    const std::chrono::duration<double> span = now - ends_.front();
    return span.count() / static_cast<double>(ends_.size()) * static_cast<double>(jobs);
  }

 private:
  std::deque<Clock::time_point> ends_;
};

}  // namespace rex::runtime
