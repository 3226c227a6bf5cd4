// The main road: queries → passes → engine → links → answers, level by level, with the passes of
// all queries of a call packed into common batches.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"
#include "pipeline/query.h"
#include "text/tokenizer.h"

namespace rex::pipeline {

// Thread-safe: calls may come from any thread. The engine runs one batch at a time; tokenising
// and decoding of different calls overlap.
class Pipeline {
 public:
  Pipeline(std::shared_ptr<const text::Tokenizer> tokenizer,
           std::unique_ptr<engine::Engine> engine);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // One result for each query, in order. A bad query fails alone. When `stop` is requested the
  // queries not yet finished fail with CANCELLED, between two batches.
  // No exception leaves: an InternalError fails the queries of its batch with INTERNAL.
  std::vector<Result<Answer>> analyze(std::span<const Query> queries, std::stop_token stop = {});

  [[nodiscard]] const engine::Engine& engine() const;
  [[nodiscard]] const text::Tokenizer& tokenizer() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rex::pipeline
