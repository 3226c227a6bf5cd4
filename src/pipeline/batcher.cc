#include "pipeline/batcher.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "pipeline/exception_error.h"

namespace rex::pipeline {
namespace {

// Every so many batches the lowest priority is served first, so that it moves at all.
constexpr uint32_t kAgeingPeriod = 8;

}  // namespace

Batcher::Batcher(const text::SpecialIds& special, std::unique_ptr<engine::Engine> engine,
                 UnseenTokens unseen)
    : engine_(std::move(engine)),
      packer_(special, engine_->info().limits, std::move(unseen)),
      thread_([this](const std::stop_token& end) { serve(end); }) {}

Batcher::~Batcher() = default;

void Batcher::set_observer(std::function<void(const BatchReport&)> observer) {
  const std::lock_guard lock(mutex_);
  observer_ = std::move(observer);
}

size_t Batcher::waiting_passes() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

void Batcher::serve(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (work_.wait(lock, end, [this] { return waiting_ > 0 && !running_; })) run_batch(lock);
}

// `lock` holds the mutex and the engine is idle.
void Batcher::run_batch(std::unique_lock<std::mutex>& lock) noexcept {
  running_ = true;
  fill_batch();
  auto batch = empty_batch();
  const auto tokens = static_cast<int32_t>(packer_.batch().token_ids.size());
  lock.unlock();
  if (!packer_.empty()) run(*batch);
  packer_.clear();
  const BatchReport report{.passes = batch->passes,
                           .tokens = tokens,
                           .run_us = microseconds(batch->finished - batch->started),
                           .failed = !batch->outcome,
                           .engine = engine_->counters()};
  lock.lock();
  hand_out(std::move(batch));
  if (observer_ && report.passes > 0) {
    auto seen = report;
    seen.waiting_passes = waiting_;
    observer_(seen);
  }
  running_ = false;
  if (waiting_ > 0) work_.notify_one();
}

void Batcher::fill_batch() {
  const bool lowest_first = ++batches_ % kAgeingPeriod == 0;
  for (size_t i = 0; i < turns_.size(); ++i) {
    if (!fill_from(turns_[lowest_first ? i : turns_.size() - 1 - i])) return;
  }
}

// False once the batch takes no more. What does not fit keeps its turn, so it starts the next one.
bool Batcher::fill_from(Turns& turns) {
  while (!turns.empty()) {
    Submission& next = *turns.front();
    if (next.options_.alone && !taken_.empty()) return false;
    const prompt::Pass* pass = next.passes_[next.taken_];
    if (pass != nullptr) {
      if (!packer_.fits(*pass)) return false;
      auto added = packer_.add(*pass);
      taken_.push_back({&next, next.taken_, {}});
      if (!added) taken_.back().refused = std::move(added).error();
      ++next.in_flight_;
      --waiting_;
    }
    ++next.taken_;
    next.queued_ = next.taken_ < next.passes_.size();
    turns.splice(turns.end(), turns, turns.begin());
    if (!next.queued_) turns.pop_back();
    if (next.options_.alone && pass != nullptr) return false;
  }
  return true;
}

void Batcher::run(FinishedBatch& batch) {
  batch.passes = static_cast<int32_t>(packer_.batch().passes.size());
  batch.started = Clock::now();
  try {
    batch.outcome = engine_->run(packer_.batch(), batch.links);
  } catch (...) {
    batch.outcome = fail(error_of_exception());
  }
  batch.finished = Clock::now();
}

void Batcher::hand_out(std::shared_ptr<const FinishedBatch> batch) {
  std::vector<Submission*> owners;
  size_t in_batch = 0;
  for (Taken& taken : taken_) {
    const size_t place = taken.refused ? 0 : in_batch++;
    Submission* owner = taken.owner;
    if (owner == nullptr) continue;
    if (owner->last_batch_ != batches_) {
      owner->last_batch_ = batches_;
      owners.push_back(owner);
      owner->parts_.push_back({batch, {}, {}});
    }
    BatchPart& part = owner->parts_.back();
    if (taken.refused) {
      part.refused.emplace_back(taken.pass, *std::move(taken.refused));
    } else {
      part.places.push_back({taken.pass, place});
    }
    --owner->in_flight_;
  }
  taken_.clear();
  for (Submission* owner : owners) owner->came_back_.notify_one();
}

std::shared_ptr<FinishedBatch> Batcher::empty_batch() {
  std::unique_ptr<FinishedBatch> batch;
  {
    const std::lock_guard lock(pool_mutex_);
    if (!pool_.empty()) {
      batch = std::move(pool_.back());
      pool_.pop_back();
    }
  }
  if (!batch) batch = std::make_unique<FinishedBatch>();
  batch->outcome = {};
  batch->passes = 0;
  return {batch.release(), [this](FinishedBatch* used) {
            std::unique_ptr<FinishedBatch> back(used);
            const std::lock_guard lock(pool_mutex_);
            pool_.push_back(std::move(back));
          }};
}

Batcher::Submission::Submission(Batcher& batcher, std::vector<const prompt::Pass*> passes,
                                const CallOptions& options)
    : batcher_(batcher), passes_(std::move(passes)), options_(options) {
  REX_CHECK(options.priority >= 0 && options.priority < kPriorities, "a known priority");
  if (passes_.empty()) return;
  const std::lock_guard lock(batcher_.mutex_);
  ++batcher_.submissions_;
  batcher_.turns_[static_cast<size_t>(options.priority)].push_back(this);
  queued_ = true;
  batcher_.waiting_ += passes_.size();
  if (!batcher_.lone_call_runs()) batcher_.work_.notify_one();
}

Batcher::Submission::~Submission() {
  if (passes_.empty()) return;
  const std::lock_guard lock(batcher_.mutex_);
  --batcher_.submissions_;
  if (queued_) {
    batcher_.turns_[static_cast<size_t>(options_.priority)].remove(this);
    batcher_.waiting_ -= static_cast<size_t>(
        std::count_if(passes_.begin() + static_cast<ptrdiff_t>(taken_), passes_.end(),
                      [](const prompt::Pass* pass) { return pass != nullptr; }));
  }
  if (in_flight_ == 0) return;
  for (Taken& taken : batcher_.taken_) {
    if (taken.owner == this) taken.owner = nullptr;
  }
}

bool Batcher::Submission::is_over() const {
  const auto rest = passes_.begin() + static_cast<ptrdiff_t>(taken_);
  return in_flight_ == 0 &&
         std::all_of(rest, passes_.end(), [](const prompt::Pass* pass) { return !pass; });
}

Result<std::optional<BatchPart>> Batcher::Submission::next() {
  std::unique_lock lock(batcher_.mutex_);
  const auto done = [this] { return !parts_.empty() || is_over(); };
  if (batcher_.lone_call_runs() && queued_ && !batcher_.running_ && !done() &&
      !options_.stop.stop_requested() && Clock::now() < options_.deadline) {
    batcher_.run_batch(lock);
  }
  if (options_.deadline == Clock::time_point::max()) {
    came_back_.wait(lock, options_.stop, done);
  } else {
    came_back_.wait_until(lock, options_.stop, options_.deadline, done);
  }
  if (!parts_.empty()) {
    BatchPart part = std::move(parts_.front());
    parts_.pop_front();
    return part;
  }
  if (is_over()) return std::nullopt;
  if (options_.stop.stop_requested()) {
    return fail(ErrorCode::kCancelled, "cancelled by the caller");
  }
  return fail(ErrorCode::kRequestTimeout, "the time for this request is over");
}

void Batcher::Submission::drop(size_t first, size_t last) {
  const std::lock_guard lock(batcher_.mutex_);
  for (size_t i = std::max(first, taken_); i < std::min(last, passes_.size()); ++i) {
    if (passes_[i] != nullptr) --batcher_.waiting_;
    passes_[i] = nullptr;
  }
}

}  // namespace rex::pipeline
