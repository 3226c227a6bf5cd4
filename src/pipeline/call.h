// What a caller may ask of one call of Pipeline::analyze beside its queries, and what it can learn
// about it afterwards.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/links.h"

namespace rex::pipeline {

using Clock = std::chrono::steady_clock;

// The unit of every time in reports.
inline int64_t microseconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

inline constexpr int32_t kPriorities = 3;  // 0 low, 1 normal, 2 high

// How a call went. Times in microseconds.
struct CallReport {
  int64_t tokenize_us = 0;  // reading queries, compiling schemas, building prompts
  int64_t queue_us = 0;     // waiting for a place in a batch, over all levels
  int64_t infer_us = 0;     // in batches, over all levels
  int64_t decode_us = 0;
  int32_t batches = 0;
  int32_t largest_batch = 0;  // passes of the largest batch it travelled in, all callers together
};

// One pass with what the engine said about it, for people who look for a reason.
struct TracedPass {
  size_t query = 0;
  int32_t level = 0;                // 0: root
  std::vector<int32_t> prompt_ids;  // [CLS] … [SEP]
  int32_t start = 0, end = 0;       // the window, chars of the text
  std::vector<engine::Link> spans, heads, tails;
  std::vector<engine::ClassCells> classes;
};

struct CallOptions {
  std::stop_token stop = {};
  Clock::time_point deadline = Clock::time_point::max();
  int32_t priority = 1;          // below kPriorities; greater is sooner
  bool alone = false;            // one pass a batch, no neighbours
  CallReport* report = nullptr;  // added to, when given
  // Asked for more memory, in bytes, when answers grow beyond what a usual text gives; a query that
  // is refused fails with GPU_MEMORY_EXHAUSTED. Empty: as much as is needed.
  std::function<bool(int64_t)> more_memory = {};
  std::vector<TracedPass>* trace = nullptr;  // appended to, when given
};

// A batch as the engine ran it.
struct BatchReport {
  int32_t passes = 0;
  int32_t tokens = 0;
  int64_t run_us = 0;
  bool failed = false;
  size_t waiting_passes = 0;      // when it had finished
  engine::EngineCounters engine;  // totals of the engine after it
};

}  // namespace rex::pipeline
