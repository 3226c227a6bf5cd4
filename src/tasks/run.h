// Requests through the model: all rounds of all tasks of a call, packed into common batches.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "pipeline/analyze.h"
#include "tasks/request.h"
#include "tasks/work.h"

namespace rex::tasks {

// The model as tasks see it; a pipeline, or a stand-in in tests.
using Analyze = std::function<std::vector<Result<pipeline::Answer>>(
    std::span<const pipeline::Query>, std::stop_token)>;

// One result for each request, in order; a bad request fails alone. Thread-safe when `analyze` is.
// No exception leaves: an InternalError fails its request with INTERNAL, bad_alloc with
// MEMORY_EXHAUSTED.
std::vector<Result<TaskAnswer>> run_requests(const Analyze& analyze,
                                             std::span<const TaskRequest> requests,
                                             std::stop_token stop = {});
inline std::vector<Result<TaskAnswer>> run_requests(pipeline::Pipeline& pipeline,
                                                    std::span<const TaskRequest> requests,
                                                    std::stop_token stop = {}) {
  return run_requests(
      [&pipeline](std::span<const pipeline::Query> queries, std::stop_token token) {
        return pipeline.analyze(queries, std::move(token));
      },
      requests, std::move(stop));
}

}  // namespace rex::tasks
