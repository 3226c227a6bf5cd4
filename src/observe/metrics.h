// What the service counts, in the text form of Prometheus. Label values come from fixed lists:
// routes, tasks, error codes; never texts or labels of a schema.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pipeline/call.h"

namespace rex::observe {

// A finished request.
struct RequestSeen {
  std::string_view route;  // pattern of the route
  std::string_view task;   // empty when no model ran
  int status = 200;
  std::string_view code;  // of the error, empty when good
  double seconds = 0;
  pipeline::CallReport report;
  size_t texts = 0;
  int64_t chars = 0, tokens = 0, windows = 0, levels = 0, labels = 0;
  size_t warnings = 0;
  bool shared = false;
};

// What is so now, asked for when the metrics are read.
struct Now {
  size_t queue_depth = 0, running = 0, waiting_passes = 0, connections = 0;
  int64_t plan_weights = 0, plan_arena = 0, plan_workspace = 0;
  int64_t request_memory = 0, request_memory_peak = 0, request_memory_budget = 0;
  int64_t resident_bytes = 0;
  double uptime_s = 0;
  bool ready = false;
  std::string version, revision, device, precision, model;
};

// Thread-safe.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void count(const RequestSeen& request);
  void count(const pipeline::BatchReport& batch);
  void count_auth_failure();
  [[nodiscard]] std::string text(const Now& now);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Resident memory of this process in bytes; 0 when unknown.
int64_t resident_bytes();

}  // namespace rex::observe
