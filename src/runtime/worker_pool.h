// Threads that take work from a bounded queue: what stands between the event loops, which must not
// block, and calls of the model, which do. Work waits at most `queue_timeout`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/result.h"

namespace rex::runtime {

using Clock = std::chrono::steady_clock;

struct WorkerLimits {
  int32_t workers = 256;
  int32_t capacity = 1024;               // waiting jobs
  size_t max_bytes = size_t{256} << 20;  // of waiting jobs
  std::chrono::milliseconds queue_timeout{30'000};
};

struct Job {
  std::function<void()> run;
  // Called instead of run(), on a worker: QUEUE_TIMEOUT.
  std::function<void(Error)> refuse;
  size_t bytes = 0;  // memory that the job holds while it waits
};

// Thread-safe.
class WorkerPool {
 public:
  explicit WorkerPool(WorkerLimits limits);
  ~WorkerPool();  // runs what waits, then ends
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Errors: QUEUE_FULL.
  Result<void> submit(Job job);

  [[nodiscard]] size_t waiting() const;
  [[nodiscard]] size_t running() const;
  [[nodiscard]] const WorkerLimits& limits() const { return limits_; }

 private:
  void serve(const std::stop_token& end);

  struct Waiting {
    Job job;
    Clock::time_point since;
  };

  WorkerLimits limits_;
  mutable std::mutex mutex_;  // guards the rest
  std::condition_variable_any work_;
  std::deque<Waiting> queue_;
  size_t bytes_ = 0;
  size_t running_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace rex::runtime
