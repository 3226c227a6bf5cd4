#include "engine/cpu/thread_team.h"

#include <omp.h>

namespace rex::engine {
namespace {

// About 20 µs of waiting before a thread sleeps: phases are shorter, idle teams must not burn CPU.
constexpr int kSpins = 4000;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadTeam::ThreadTeam(int32_t threads) {
  for (int32_t i = 0; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::start(Entry entry, const void* program) {
  std::unique_lock lock(mutex_);
  entry_ = entry;
  program_ = program;
  running_ = size();
  for (auto& counter : next_task_) counter.store(0);
  ++generation_;
  wake_.notify_all();
  done_.wait(lock, [this] { return running_ == 0; });
}

void ThreadTeam::serve(int32_t index) {
  omp_set_num_threads(1);  // oneDNN runs inside our tasks; it must not open teams of its own
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
    if (stopping_) return;
    seen = generation_;
    lock.unlock();
    Worker worker(*this, index);
    entry_(program_, worker);
    lock.lock();
    if (--running_ == 0) done_.notify_one();
  }
}

void ThreadTeam::meet(uint32_t phase) {
  const uint32_t ticket = barrier_.load();
  if (arrived_.fetch_add(1) + 1 == size()) {
    // Everyone has left the phase before this one: its counter is free for the next but one.
    next_task_[(phase + 2) % 3].store(0);
    arrived_.store(0);
    barrier_.store(ticket + 1);
    barrier_.notify_all();
    return;
  }
  for (int spin = 0; spin < kSpins; ++spin) {
    if (barrier_.load() != ticket) return;
    pause_briefly();
  }
  barrier_.wait(ticket);
}

}  // namespace rex::engine
