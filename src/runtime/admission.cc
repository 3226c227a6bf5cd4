#include "runtime/admission.h"

#include <algorithm>

namespace rex::runtime {
namespace {

std::string mib(int64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

}  // namespace

Result<Admission::Ticket> Admission::acquire(int64_t bytes,
                                             std::chrono::steady_clock::time_point deadline,
                                             const std::stop_token& stop) {
  if (bytes > budget_) {
    return fail(
        ErrorCode::kWorkTooLarge,
        "needs about " + mib(bytes) + " of memory; requests have " + mib(budget_) + " together");
  }
  std::unique_lock lock(mutex_);
  const auto me = line_.insert(line_.end(), bytes);
  const bool fits = changed_.wait_until(
      lock, stop, deadline, [&] { return line_.begin() == me && used_ + bytes <= budget_; });
  line_.erase(me);
  changed_.notify_all();
  if (!fits) {
    if (stop.stop_requested()) return fail(ErrorCode::kCancelled, "cancelled by the caller");
    return fail(ErrorCode::kGpuMemoryExhausted, "GPU memory exhausted");
  }
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return Ticket(this, bytes);
}

int64_t Admission::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

int64_t Admission::peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

bool Admission::take_now(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (used_ + bytes > budget_) return false;
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return true;
}

void Admission::give_back(int64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
    if (line_.empty()) return;
  }
  changed_.notify_all();
}

}  // namespace rex::runtime
