// What all routes share.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "config/settings.h"
#include "observe/metrics.h"
#include "pipeline/analyze.h"
#include "runtime/admission.h"
#include "runtime/single_flight.h"
#include "runtime/worker_pool.h"
#include "server/presets.h"
#include "tasks/work.h"

namespace rex::server {

// An answer of the model with what it took.
struct Computed {
  tasks::TaskAnswer answer;
  pipeline::CallReport report;
};

struct State {
  config::Settings settings;
  std::string model_dir;
  std::string version, revision;
  observe::Metrics metrics;                      // before the pipeline, which counts to its end
  std::unique_ptr<pipeline::Pipeline> pipeline;  // null until the model is loaded
  std::unique_ptr<runtime::Admission> admission;
  runtime::SingleFlight<Computed> flights;
  Presets presets;
  std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
  std::atomic<bool> ready = false;     // loaded and warmed up
  std::atomic<bool> draining = false;  // the end has begun
  std::function<size_t()> count_connections;
  std::unique_ptr<runtime::WorkerPool> workers;  // last: its threads use everything above

  [[nodiscard]] bool on_gpu() const {
    return pipeline && pipeline->engine().info().device.starts_with("cuda");
  }
  // GPU with the optimisations in force.
  [[nodiscard]] bool gpu_optimized() const { return on_gpu() && settings.gpu.enabled; }
  // Device memory held: weights, arena and work space of the engine's plan; on the CPU the same of
  // the host.
  [[nodiscard]] int64_t planned_bytes() const {
    return pipeline ? pipeline->engine().plan().total_bytes() : 0;
  }
};

}  // namespace rex::server
