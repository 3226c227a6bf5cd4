// Many requests from a file of JSON lines, in bounded memory, in order, resumable.
#pragma once

#include <cstdint>
#include <string>

#include "cli/context.h"
#include "pipeline/analyze.h"
#include "tasks/request.h"

namespace rex::cli {

struct BatchFiles {
  std::string in;      // "-": standard input
  std::string out;     // "-": standard output
  std::string errors;  // empty: <out>.errors.jsonl, or standard error when out is "-"
  bool resume = false;
  bool overwrite = false;
};

struct BatchSummary {
  int64_t skipped = 0;  // done by an earlier run
  int64_t answered = 0;
  int64_t failed = 0;
  bool interrupted = false;
};

// Each line is a request (a JSON object, or a string that is the text) read over `defaults`. An
// answer goes to `out` as {"line": number, "id"?, …}, a bad line to the errors file as
// {"line", "id"?, "error", "code", "param", "hint"}, and the run goes on. Empty lines are passed
// over. Numbers start at 1.
// Resuming: every line has a record in exactly one of the files; the run continues at the first
// line without one, after cutting off whatever stands beyond it (a record half written).
// Errors: files that cannot be read or written; FIELD_CONFLICT when `out` has content and neither
// resume nor overwrite is set.
Result<BatchSummary> run_batch(pipeline::Pipeline& pipeline, const BatchFiles& files,
                               const tasks::TaskRequest& defaults);

}  // namespace rex::cli
