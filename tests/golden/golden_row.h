// Runs one golden request; shared by the generator and the test.
#pragma once

#include <memory>
#include <string>

#include "core/json.h"
#include "engine/engine.h"
#include "pipeline/analyze.h"
#include "tasks/run.h"

namespace rex::golden {

template <class MakeEngine>
std::unique_ptr<pipeline::Pipeline> pipeline_of(const std::filesystem::path& model_dir,
                                                MakeEngine make) {
  return std::make_unique<pipeline::Pipeline>(text::Tokenizer::load(model_dir).value(),
                                              make(model::load_weights(model_dir).value()));
}

// The answer as JSON, or {"error": CODE} for a request that is refused.
inline Json answer(pipeline::Pipeline& pipeline, const Json& request,
                   const std::string& behaviour) {
  auto parsed = tasks::read_request(request);
  if (!parsed) return {{"error", row_of(parsed.error().code).name}};
  parsed->options.query.behaviour =
      behaviour == "reference" ? pipeline::Behaviour::kReference : pipeline::Behaviour::kStandard;
  const auto results = tasks::run_requests(pipeline, {&*parsed, 1});
  if (!results[0]) return {{"error", row_of(results[0].error().code).name}};
  return tasks::to_json(*results[0]);
}

}  // namespace rex::golden
