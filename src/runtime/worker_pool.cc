#include "runtime/worker_pool.h"

#include <cmath>
#include <utility>

namespace rex::runtime {

WorkerPool::WorkerPool(WorkerLimits limits) : limits_(limits) {
  grow(limits_.workers);
}

void WorkerPool::grow(int32_t workers) {
  while (threads_.size() < static_cast<size_t>(workers)) {
    threads_.emplace_back([this](const std::stop_token& end) { serve(end); });
  }
}

WorkerPool::~WorkerPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

Result<void> WorkerPool::submit(Job job) {
  std::unique_lock lock(mutex_);
  if (!idle_.empty()) {
    Worker& last = *idle_.back();
    idle_.pop_back();
    last.next = {std::move(job), Clock::now()};
    lock.unlock();  // else it would wake only to wait for the mutex
    last.handed.notify_one();
    return {};
  }
  if (queue_.size() >= static_cast<size_t>(limits_.capacity) ||
      bytes_ + job.bytes > limits_.max_bytes) {
    return fail(ErrorCode::kQueueFull, std::to_string(queue_.size()) + " requests are waiting");
  }
  const auto wait = rate_.seconds_for(queue_.size() + running_ + 1, Clock::now());
  if (wait && std::chrono::duration<double>(*wait) > limits_.queue_timeout) {
    return fail(ErrorCode::kQueueFull, std::to_string(queue_.size()) + " requests are waiting, " +
                                           std::to_string(std::llround(*wait)) + " s of work");
  }
  bytes_ += job.bytes;
  queue_.push_back({std::move(job), Clock::now()});
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

std::optional<WorkerPool::Waiting> WorkerPool::take(Worker& self,
                                                    std::unique_lock<std::mutex>& lock,
                                                    const std::stop_token& end) {
  if (!queue_.empty()) {
    std::optional<Waiting> next = std::move(queue_.front());
    queue_.pop_front();
    bytes_ -= next->job.bytes;
    return next;
  }
  rate_.forget();
  idle_.push_back(&self);
  self.handed.wait(lock, end, [&self] { return self.next.has_value(); });
  if (!self.next) std::erase(idle_, &self);
  return std::exchange(self.next, std::nullopt);
}

void WorkerPool::serve(const std::stop_token& end) {
  Worker self;
  std::unique_lock lock(mutex_);
  while (auto next = take(self, lock, end)) {
    ++running_;
    lock.unlock();
    const bool late = Clock::now() - next->since > limits_.queue_timeout;
    if (late) {
      next->job.refuse({ErrorCode::kQueueTimeout,
                        "waited longer than " + std::to_string(limits_.queue_timeout.count()) +
                            " ms for its turn",
                        ""});
    } else {
      next->job.run();
    }
    next.reset();
    lock.lock();
    --running_;
    if (!late && !queue_.empty()) rate_.finished(Clock::now());
  }
}

}  // namespace rex::runtime
