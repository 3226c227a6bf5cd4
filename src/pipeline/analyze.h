// The main road: queries → passes → engine → links → answers, level by level, with the passes of
// all queries of a call packed into common batches.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"
#include "pipeline/call.h"
#include "pipeline/query.h"
#include "pipeline/unseen_tokens.h"
#include "text/tokenizer.h"

namespace rex::pipeline {

// Thread-safe: calls may come from any thread. Passes of concurrent calls share batches
// (batcher.h); tokenising and decoding run on the callers' threads while the engine computes.
class Pipeline {
 public:
  // `unseen`: tokens that attention ignores; none unless the user asked for it.
  Pipeline(std::shared_ptr<const text::Tokenizer> tokenizer, std::unique_ptr<engine::Engine> engine,
           UnseenTokens unseen = {});
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // One result for each query, in order. A bad query fails alone. When the call is stopped, the
  // queries not yet finished fail with CANCELLED; past its deadline, with REQUEST_TIMEOUT.
  // No exception leaves: an InternalError fails the queries of its batch with INTERNAL.
  std::vector<Result<Answer>> analyze(std::span<const Query> queries, const CallOptions& options);
  std::vector<Result<Answer>> analyze(std::span<const Query> queries, std::stop_token stop = {}) {
    return analyze(queries, CallOptions{.stop = std::move(stop)});
  }

  // Called on the engine's thread after every batch; set it before the first call.
  void set_observer(std::function<void(const BatchReport&)> observer);
  // Passes of all calls that wait for a batch.
  [[nodiscard]] size_t waiting_passes() const;

  [[nodiscard]] const engine::Engine& engine() const;
  [[nodiscard]] const text::Tokenizer& tokenizer() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rex::pipeline
