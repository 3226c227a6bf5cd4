#include "server/debug_mode.h"

#include <algorithm>
#include <cmath>

#include "server/plan_json.h"

namespace rex::server {
namespace {

constexpr size_t kMostLinks = 2000;  // of each kind

std::string prompt_text(const text::Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  std::string text;
  for (const int32_t id : ids) text += tokenizer.token_text(id);
  return text;
}

Json links_json(const std::vector<engine::Link>& links) {
  Json list = Json::array();
  for (size_t i = 0; i < std::min(links.size(), kMostLinks); ++i) {
    const double probability = 1.0 / (1.0 + std::exp(-static_cast<double>(links[i].logit)));
    list.push_back({links[i].row, links[i].col, std::round(probability * 1e4) / 1e4});
  }
  return list;
}

Json passes_json(const Call& call) {
  const text::Tokenizer& tokenizer = call.state.pipeline->tokenizer();
  Json passes = Json::array();
  for (const pipeline::TracedPass& pass : call.trace) {
    Json one = {{"query", pass.query},
                {"level", pass.level},
                {"prompt", prompt_text(tokenizer, pass.prompt_ids)},
                {"prompt_tokens", pass.prompt_ids.size()},
                {"window", {pass.start, pass.end}},
                {"links",
                 {{"head_tail", links_json(pass.spans)},
                  {"head_type", links_json(pass.heads)},
                  {"type_tail", links_json(pass.tails)}}}};
    if (!pass.classes.empty()) {
      Json cells = Json::array();
      for (const engine::ClassCells& c : pass.classes) {
        cells.push_back({c.marker, c.marker_to_type, c.type_to_marker});
      }
      one["class_logits"] = std::move(cells);
    }
    passes.push_back(std::move(one));
  }
  return passes;
}

// Largest difference of a confidence, and chains that only one of the two has.
Json difference_json(const tasks::TaskAnswer& a, const tasks::TaskAnswer& b) {
  double largest = 0.0;
  size_t same = 0;
  for (const pipeline::Chain& chain : a.chains) {
    const auto equal_but_for_confidence = [&](const pipeline::Chain& other) {
      return std::equal(chain.begin(), chain.end(), other.begin(), other.end(),
                        [](const pipeline::Step& x, const pipeline::Step& y) {
                          return x.label == y.label && x.start == y.start && x.end == y.end;
                        });
    };
    const auto twin = std::find_if(b.chains.begin(), b.chains.end(), equal_but_for_confidence);
    if (twin == b.chains.end()) continue;
    ++same;
    for (size_t i = 0; i < chain.size(); ++i) {
      largest = std::max(largest, std::abs(chain[i].confidence - (*twin)[i].confidence));
    }
  }
  return {{"max_abs", largest},
          {"changed_spans", a.chains.size() - same + b.chains.size() - same},
          {"result_equal", a.result == b.result}};
}

}  // namespace

Result<Json> debug_json(Call& call, const Prepared& prepared, const Computed& computed) {
  const engine::EngineInfo& engine = call.state.pipeline->engine().info();
  Json debug = {{"precision", engine.precision},
                {"device", engine.device},
                {"passes", passes_json(call)},
                {"memory_plan", plan_json(call.state.pipeline->engine().plan())}};
  // The comparison is no part of what the headers and the log report.
  const ModelFacts facts = call.facts;
  call.debug = false;
  auto normal = compute(call, prepared);
  call.debug = true;
  call.facts = facts;
  if (!normal) return fail(std::move(normal).error());
  debug["difference"] = difference_json(computed.answer, normal->answer);
  return debug;
}

}  // namespace rex::server
