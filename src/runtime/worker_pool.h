// Threads that take work from a bounded queue: what stands between the event loops, which must not
// block, and calls of the model, which do. Work waits at most `queue_timeout`, and what would be
// answered later than that at the rate of the last jobs is refused when it comes, not after the
// wait. The thread that became idle last gets the next job: few calls at a time keep few threads,
// with warm caches, and touch the stacks and heaps of no others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/result.h"
#include "runtime/service_rate.h"

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

  // More threads, when it is known what they will call. For the owner's thread alone.
  void grow(int32_t workers);

  // Errors: QUEUE_FULL when the queue is full, or longer than what `queue_timeout` can do.
  Result<void> submit(Job job);

  [[nodiscard]] size_t waiting() const;
  [[nodiscard]] size_t running() const;
  [[nodiscard]] const WorkerLimits& limits() const { return limits_; }

 private:
  struct Waiting {
    Job job;
    Clock::time_point since;
  };
  struct Worker {
    std::optional<Waiting> next;  // handed to it while it was idle
    std::condition_variable_any handed;
  };

  void serve(const std::stop_token& end);
  // The next job of `self`, `lock` holding the mutex; nothing when the pool ends.
  std::optional<Waiting> take(Worker& self, std::unique_lock<std::mutex>& lock,
                              const std::stop_token& end);

  WorkerLimits limits_;
  mutable std::mutex mutex_;   // guards the rest
  std::vector<Worker*> idle_;  // longest first; while there are some, queue_ is empty
  std::deque<Waiting> queue_;
  size_t bytes_ = 0;
  size_t running_ = 0;
  ServiceRate rate_;  // while jobs wait
  std::vector<std::jthread> threads_;
};

}  // namespace rex::runtime
