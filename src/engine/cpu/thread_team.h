// A fixed team of threads that run one program together, phase by phase (single program, many
// data): every worker executes the same function and meets the others at the end of each
// for_each(). Tasks are handed out by a counter, so which worker runs a task varies, but what a
// task computes must not depend on it: then results are the same for every team size.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace rex::engine {

class ThreadTeam;

// One thread's view of the running program.
class Worker {
 public:
  [[nodiscard]] int32_t index() const { return index_; }

  // Runs task(0) … task(count - 1), each once, on whichever worker is free; returns when all are
  // done. Every worker of the program must make the same calls in the same order.
  template <class Task>
  void for_each(int32_t count, const Task& task);

 private:
  friend class ThreadTeam;
  Worker(ThreadTeam& team, int32_t index) : team_(team), index_(index) {}
  ThreadTeam& team_;
  int32_t index_;
  uint32_t phase_ = 0;
};

// Created and run by one thread at a time.
class ThreadTeam {
 public:
  explicit ThreadTeam(int32_t threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  [[nodiscard]] int32_t size() const { return static_cast<int32_t>(threads_.size()); }

  // Runs `program(worker)` on every thread of the team and waits for all. The program must not
  // throw.
  template <class Program>
  void run(const Program& program) {
    start([](const void* p, Worker& worker) { (*static_cast<const Program*>(p))(worker); },
          &program);
  }

 private:
  friend class Worker;
  using Entry = void (*)(const void*, Worker&);

  void start(Entry entry, const void* program);
  void serve(int32_t index);
  void meet(uint32_t phase);

  // Hand-over of programs; guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Entry entry_ = nullptr;
  const void* program_ = nullptr;
  uint64_t generation_ = 0;
  int32_t running_ = 0;
  bool stopping_ = false;

  // Inside a program. Three counters in rotation: one in use, one still being left, one fresh.
  std::atomic<int32_t> next_task_[3] = {};
  std::atomic<int32_t> arrived_ = 0;
  std::atomic<uint32_t> barrier_ = 0;

  std::vector<std::thread> threads_;  // last: started when all else is ready
};

template <class Task>
void Worker::for_each(int32_t count, const Task& task) {
  std::atomic<int32_t>& next = team_.next_task_[phase_ % 3];
  for (int32_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) task(i);
  team_.meet(phase_++);
}

}  // namespace rex::engine
