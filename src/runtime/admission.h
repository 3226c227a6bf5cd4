// Memory as tickets: a request takes its price before it runs and gives it back afterwards, so that
// all that run together fit. Those that do not fit now wait in the order in which they came.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <stop_token>
#include <utility>

#include "core/result.h"

namespace rex::runtime {

// Thread-safe.
class Admission {
 public:
  explicit Admission(int64_t budget_bytes) : budget_(budget_bytes) {}

  // Memory held; gives it back when it ends.
  class Ticket {
   public:
    Ticket(Admission* owner, int64_t bytes) : owner_(owner), bytes_(bytes) {}
    Ticket(Ticket&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), bytes_(other.bytes_) {}
    Ticket& operator=(Ticket&&) = delete;

    // Takes more, without waiting: a request that found more than its price foresaw. False when
    // that much is not free; the ticket then holds what it held.
    bool grow(int64_t bytes) {
      if (!owner_->take_now(bytes)) return false;
      bytes_ += bytes;
      return true;
    }

    ~Ticket() {
      if (owner_ != nullptr) owner_->give_back(bytes_);
    }

   private:
    Admission* owner_;
    int64_t bytes_;
  };

  // Waits until `bytes` are free, first come, first served.
  // Errors: WORK_TOO_LARGE when it never fits, GPU_MEMORY_EXHAUSTED at the deadline, CANCELLED.
  Result<Ticket> acquire(int64_t bytes, std::chrono::steady_clock::time_point deadline,
                         const std::stop_token& stop);

  [[nodiscard]] int64_t budget() const { return budget_; }
  [[nodiscard]] int64_t used() const;
  [[nodiscard]] int64_t peak() const;

 private:
  bool take_now(int64_t bytes);
  void give_back(int64_t bytes);

  const int64_t budget_;
  mutable std::mutex mutex_;  // guards the rest
  std::condition_variable_any changed_;
  std::list<int64_t> line_;  // prices of those that wait
  int64_t used_ = 0;
  int64_t peak_ = 0;
};

}  // namespace rex::runtime
