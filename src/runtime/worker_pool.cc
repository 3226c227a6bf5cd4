#include "runtime/worker_pool.h"

#include <utility>

namespace rex::runtime {

WorkerPool::WorkerPool(WorkerLimits limits) : limits_(limits) {
  for (int32_t i = 0; i < limits_.workers; ++i) {
    threads_.emplace_back([this](const std::stop_token& end) { serve(end); });
  }
}

WorkerPool::~WorkerPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

Result<void> WorkerPool::submit(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= static_cast<size_t>(limits_.capacity) ||
        bytes_ + job.bytes > limits_.max_bytes) {
      return fail(ErrorCode::kQueueFull, std::to_string(queue_.size()) + " requests are waiting");
    }
    bytes_ += job.bytes;
    queue_.push_back({std::move(job), Clock::now()});
  }
  work_.notify_one();
  return {};
}

size_t WorkerPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

size_t WorkerPool::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

void WorkerPool::serve(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (work_.wait(lock, end, [this] { return !queue_.empty(); })) {
    Waiting next = std::move(queue_.front());
    queue_.pop_front();
    bytes_ -= next.job.bytes;
    ++running_;
    lock.unlock();
    if (Clock::now() - next.since > limits_.queue_timeout) {
      next.job.refuse({ErrorCode::kQueueTimeout,
                       "waited longer than " + std::to_string(limits_.queue_timeout.count()) +
                           " ms for its turn",
                       ""});
    } else {
      next.job.run();
    }
    next = {};
    lock.lock();
    --running_;
  }
}

}  // namespace rex::runtime
