// Equal work in flight is done once: the first caller computes, the others wait for its result.
// Nothing is kept afterwards; this is no cache.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/result.h"

namespace rex::runtime {

// Thread-safe. T is copied to every caller.
template <class T>
class SingleFlight {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  struct Outcome {
    Result<T> value;
    bool shared = false;  // computed for another caller
  };

  // `compute(stop)` runs on the calling thread when it is the first; its token stops only when
  // every caller that wants the result is gone. Errors beside compute's own: CANCELLED,
  // REQUEST_TIMEOUT of this caller alone.
  template <class Compute>
  Outcome run(const std::string& key, const std::stop_token& stop, Deadline deadline,
              Compute compute) {
    std::shared_ptr<Flight> flight;
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      auto& entry = flights_[key];
      first = entry == nullptr;
      if (first) entry = std::make_shared<Flight>();
      flight = entry;
      ++flight->callers;
    }
    // A caller that goes takes its interest with it; the last one stops the work.
    const std::stop_callback leave(stop, [&] { leave_flight(key, *flight); });
    if (!first) return wait(*flight, stop, deadline);
    Result<T> value = compute(flight->source.get_token());
    const std::lock_guard lock(mutex_);
    if (const auto entry = flights_.find(key); entry != flights_.end() && entry->second == flight) {
      flights_.erase(entry);
    }
    flight->value = value;
    flight->done.notify_all();
    return {std::move(value), false};
  }

 private:
  struct Flight {
    int callers = 0;
    std::stop_source source;
    std::optional<Result<T>> value;
    std::condition_variable_any done;
  };

  void leave_flight(const std::string& key, Flight& flight) {
    std::stop_source stop_now(std::nostopstate);
    {
      const std::lock_guard lock(mutex_);
      if (--flight.callers > 0) return;
      stop_now = flight.source;
      // Nobody may join work that is being stopped.
      if (const auto entry = flights_.find(key);
          entry != flights_.end() && entry->second.get() == &flight) {
        flights_.erase(entry);
      }
    }
    stop_now.request_stop();
  }

  Outcome wait(Flight& flight, const std::stop_token& stop, Deadline deadline) {
    std::unique_lock lock(mutex_);
    flight.done.wait_until(lock, stop, deadline, [&] { return flight.value.has_value(); });
    if (flight.value) return {*flight.value, true};
    if (stop.stop_requested())
      return {fail(ErrorCode::kCancelled, "cancelled by the caller"), true};
    return {fail(ErrorCode::kRequestTimeout, "the time for this request is over"), true};
  }

  std::mutex mutex_;  // guards flights_ and what they hold
  std::map<std::string, std::shared_ptr<Flight>> flights_;
};

}  // namespace rex::runtime
