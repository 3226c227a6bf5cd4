#include "tasks/run.h"

#include <algorithm>
#include <new>
#include <optional>

#include "core/check.h"

namespace rex::tasks {
namespace {

using pipeline::Answer;
using pipeline::Query;
using pipeline::Usage;

// A request between two rounds.
struct Running {
  std::string labels_field;  // of the request: where its labels stand
  Work work;
  Usage usage;
  std::vector<Warning> warnings;
  std::optional<Result<TaskAnswer>> done;
};

// Runs a step of one request and turns exceptions into its error.
template <class Step>
auto guarded(Step step) -> decltype(step()) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kMemoryExhausted, "not enough memory for this request");
  } catch (const std::exception& bug) {
    return fail(ErrorCode::kInternal, bug.what());
  }
}

void add_usage(const Usage& more, Usage& sum) {
  sum.chars += more.chars;
  sum.tokens += more.tokens;
  sum.labels += more.labels;
  sum.prompts += more.prompts;
  sum.windows = std::max(sum.windows, more.windows);
  sum.passes += more.passes;
  sum.levels += more.levels;
}

Running begin(const TaskRequest& request) {
  Running running;
  running.labels_field = request.labels.empty() ? "/schema" : "/labels";
  auto work = guarded([&]() -> Result<Work> { return request.task->start(request); });
  if (!work) {
    running.done = fail(std::move(work).error());
    return running;
  }
  running.work = *std::move(work);
  add_warnings(request.warnings, running.warnings);
  add_warnings(std::move(running.work.warnings), running.warnings);
  return running;
}

// Takes the answers of a round; afterwards the request is done or has a new round.
void take(std::span<Result<Answer>> results, Running& running) {
  std::vector<Answer> answers;
  for (Result<Answer>& result : results) {
    if (!result) {
      Error error = std::move(result).error();
      // The prompt builder knows the path in the schema, not where that stands in the request.
      if (error.code == ErrorCode::kLabelTooLong) error.place = running.labels_field + error.place;
      running.done = fail(std::move(error));
      return;
    }
    add_usage(result->usage, running.usage);
    add_warnings(std::move(result->warnings), running.warnings);
    answers.push_back(*std::move(result));
  }
  auto reply = guarded([&]() -> Result<Reply> { return running.work.read(std::move(answers)); });
  if (!reply) {
    running.done = fail(std::move(reply).error());
  } else if (auto* next = std::get_if<std::unique_ptr<Work>>(&*reply)) {
    running.work = std::move(**next);
    add_warnings(std::move(running.work.warnings), running.warnings);
  } else {
    TaskAnswer answer = std::get<TaskAnswer>(*std::move(reply));
    add_warnings(std::move(answer.warnings), running.warnings);
    answer.warnings = std::move(running.warnings);
    answer.usage = running.usage;
    running.done = std::move(answer);
  }
}

}  // namespace

std::vector<Result<TaskAnswer>> run_requests(const Analyze& analyze,
                                             std::span<const TaskRequest> requests,
                                             std::stop_token stop) {
  std::vector<Running> all;
  for (const TaskRequest& request : requests) all.push_back(begin(request));
  const auto is_done = [](const Running& running) { return running.done.has_value(); };
  while (!std::all_of(all.begin(), all.end(), is_done)) {
    std::vector<Query> queries;
    for (Running& running : all) {
      if (!running.done)
        queries.insert(queries.end(), running.work.queries.begin(), running.work.queries.end());
    }
    auto results = guarded([&]() -> Result<std::vector<Result<Answer>>> {
      if (queries.empty()) return std::vector<Result<Answer>>{};
      return analyze(queries, stop);
    });
    size_t at = 0;
    for (Running& running : all) {
      if (running.done) continue;
      if (!results) {
        running.done = fail(results.error());
        continue;
      }
      const size_t count = running.work.queries.size();
      take(std::span(*results).subspan(at, count), running);
      at += count;
    }
  }
  std::vector<Result<TaskAnswer>> answers;
  for (Running& running : all) answers.push_back(*std::move(running.done));
  return answers;
}

}  // namespace rex::tasks
