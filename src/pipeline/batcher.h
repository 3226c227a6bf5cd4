// Continuous batching: the passes of all concurrent calls through one engine. A call submits the
// passes of its level and waits; one thread, the engine's own, packs what is waiting and runs it.
// Where batches are brief (a GPU) a call that is the only one does so itself: waking another thread
// and being woken by it would take as long as the batch.
//
// The engine never waits while there is work. Calls take turns, one pass a turn, so a call of many
// passes does not hold up a small one; the links of a pass do not depend on its neighbours
// (engine.h), so neither do answers. Calls decode a batch while the engine computes the next.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"
#include "pipeline/call.h"
#include "pipeline/packer.h"

namespace rex::pipeline {

// A batch that has run. Shared by the calls whose passes it held.
struct FinishedBatch {
  engine::LinkLists links;  // valid when `outcome` is good
  Result<void> outcome;
  Clock::time_point started, finished;
  int32_t passes = 0;
};

// The passes of one submission that travelled in one batch, in the submission's order.
struct BatchPart {
  struct Place {
    size_t pass = 0;      // index into the submission
    size_t in_batch = 0;  // index into the batch
  };
  std::shared_ptr<const FinishedBatch> batch;  // null when every place was refused
  std::vector<Place> places;
  std::vector<std::pair<size_t, Error>> refused;  // passes that could not be packed
};

// Thread-safe.
class Batcher {
 public:
  Batcher(const text::SpecialIds& special, std::unique_ptr<engine::Engine> engine,
          UnseenTokens unseen = {});
  ~Batcher();  // no submission may be alive
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  [[nodiscard]] const engine::Engine& engine() const { return *engine_; }
  // Called after every batch, one at a time, on the thread that ran it; set it before the first
  // call.
  void set_observer(std::function<void(const BatchReport&)> observer);
  // Passes that wait for a batch.
  [[nodiscard]] size_t waiting_passes() const;

  // One thread. The passes are borrowed until the submission ends.
  class Submission {
   public:
    Submission(Batcher& batcher, std::vector<const prompt::Pass*> passes,
               const CallOptions& options);
    ~Submission();
    Submission(const Submission&) = delete;
    Submission& operator=(const Submission&) = delete;

    // The next batch that came back; nothing once all did. Passes start now at the latest.
    // Errors: CANCELLED when the call was stopped, REQUEST_TIMEOUT past its deadline; noticed
    // after the batch where the calling thread runs one.
    Result<std::optional<BatchPart>> next();
    // Passes [first, last) that have not started need not run any more.
    void drop(size_t first, size_t last);

   private:
    friend class Batcher;
    [[nodiscard]] bool is_over() const;

    Batcher& batcher_;
    std::vector<const prompt::Pass*> passes_;  // null: dropped
    const CallOptions& options_;
    // Guarded by the batcher's mutex.
    size_t taken_ = 0;         // passes before it are in batches
    size_t in_flight_ = 0;     // passes of the batch that runs
    uint32_t last_batch_ = 0;  // number of the batch that parts_ ends with
    bool queued_ = false;
    std::deque<BatchPart> parts_;
    std::condition_variable_any came_back_;
  };

 private:
  struct Taken {
    Submission* owner = nullptr;  // null when its submission ended meanwhile
    size_t pass = 0;
    std::optional<Error> refused;
  };
  using Turns = std::list<Submission*>;

  // The only call runs its batches in next(), and wakes nobody.
  [[nodiscard]] bool lone_call_runs() const { return engine_->info().brief && submissions_ == 1; }
  void serve(const std::stop_token& end);
  void run_batch(std::unique_lock<std::mutex>& lock) noexcept;
  void fill_batch();
  bool fill_from(Turns& turns);
  void hand_out(std::shared_ptr<const FinishedBatch> batch);
  std::shared_ptr<FinishedBatch> empty_batch();
  void run(FinishedBatch& batch);

  std::unique_ptr<engine::Engine> engine_;
  Packer packer_;  // of the thread that runs a batch
  std::function<void(const BatchReport&)> observer_;

  mutable std::mutex mutex_;  // guards all below and the state of submissions
  std::condition_variable_any work_;
  std::array<Turns, kPriorities> turns_;  // by priority
  std::vector<Taken> taken_;              // of the batch that runs
  size_t waiting_ = 0;
  bool running_ = false;    // a batch, on whatever thread
  size_t submissions_ = 0;  // alive, those without passes left out
  uint32_t batches_ = 0;

  std::mutex pool_mutex_;
  std::vector<std::unique_ptr<FinishedBatch>> pool_;

  std::jthread thread_;  // last: it uses everything above
};

}  // namespace rex::pipeline
