#include "tasks/aspects.h"

#include <algorithm>
#include <array>

namespace rex::tasks {

using pipeline::Chain;
using pipeline::Step;

namespace {

struct PolarityWord {
  std::string_view word;
  std::string_view polarity;
};

// The first word that the label contains decides, so negations stand before what they negate.
constexpr auto kPolarityWords = std::to_array<PolarityWord>({
    {"不喜欢", "negative"},
    {"不满", "negative"},
    {"负", "negative"},
    {"消极", "negative"},
    {"差评", "negative"},
    {"贬", "negative"},
    {"negative", "negative"},
    {"中性", "neutral"},
    {"中立", "neutral"},
    {"无情绪", "neutral"},
    {"neutral", "neutral"},
    {"正", "positive"},
    {"积极", "positive"},
    {"好评", "positive"},
    {"喜欢", "positive"},
    {"满意", "positive"},
    {"褒", "positive"},
    {"positive", "positive"},
});

Json placed(const Step& step) {
  return step.start < 0 ? Json(nullptr) : span_json(step);
}

Json pair_json(const Chain& chain) {
  Json pair = {{"aspect", placed(chain[0])}, {"opinion", placed(chain[1])}};
  if (const std::string_view polarity = polarity_of(chain[1].label); !polarity.empty()) {
    pair["polarity"] = polarity;
    pair["polarity_label"] = split_label(chain[1].label).name;
  }
  pair["confidence"] = chain_product(chain);
  return pair;
}

bool is_paired(const Step& aspect, const std::vector<Chain>& chains) {
  return std::any_of(chains.begin(), chains.end(), [&](const Chain& chain) {
    return chain.size() > 1 && chain[0].start == aspect.start && chain[0].end == aspect.end;
  });
}

}  // namespace

std::string_view polarity_of(std::string_view label) {
  const std::string name = split_label(label).name;
  for (const PolarityWord& row : kPolarityWords) {
    if (name.find(row.word) != std::string::npos) return row.polarity;
  }
  return {};
}

Chain without_hash(Chain chain) {
  for (Step& step : chain) {
    if (step.start < 0) continue;
    const bool covers_mark = step.start == 0;
    if (covers_mark) step.span.erase(0, 1);
    if (covers_mark && step.end == 1) {
      step.start = step.end = -1;
    } else {
      step.start -= covers_mark ? 0 : 1;
      step.end -= 1;
    }
  }
  return chain;
}

Json aspect_result(const pipeline::Answer& answer) {
  Json pairs = Json::array(), lonely = Json::array(), tuples = Json::array();
  for (const Chain& chain : answer.chains) {
    if (chain.size() == 1 && chain[0].start >= 0)
      lonely.push_back(span_json(chain[0], chain[0].label));
    if (chain.size() == 2) pairs.push_back(pair_json(chain));
    if (chain.size() > 2) {
      Json tuple = Json::array();
      for (const Step& step : chain) {
        tuple.push_back(step.start < 0 ? Json(nullptr) : span_json(step, step.label));
      }
      tuples.push_back(std::move(tuple));
    }
  }
  for (const Chain& inner : answer.inner) {
    if (inner.size() != 1 || inner[0].start < 0 || is_paired(inner[0], answer.chains)) continue;
    lonely.push_back(span_json(inner[0], inner[0].label));
  }
  Json result = {{"pairs", std::move(pairs)}, {"aspects_without_opinion", std::move(lonely)}};
  if (!tuples.empty()) result["tuples"] = std::move(tuples);
  return result;
}

Result<Work> ask_aspects(const TaskRequest& request, void (*finish)(Json& result)) {
  Work work;
  REX_TRY(text, require_text(request));
  REX_TRY(value, schema_value(request));
  REX_TRY(tree, parse_tree(value, request, work.warnings));
  const bool hash = request.options.implicit_aspect;
  if (hash) text.insert(0, "#");
  work.queries.push_back(make_query(std::move(text),
                                    std::make_shared<const schema::Schema>(std::move(tree)),
                                    pipeline::TextKind::kExtraction, request));
  work.read = [request, hash, finish](std::vector<pipeline::Answer> answers) -> Result<Reply> {
    pipeline::Answer& answer = answers.at(0);
    if (hash) {
      for (auto* chains : {&answer.chains, &answer.inner}) {
        for (Chain& chain : *chains) chain = without_hash(std::move(chain));
      }
    }
    TaskAnswer out = begin_answer(request, pipeline::TextKind::kExtraction);
    out.result = aspect_result(answer);
    out.chains = std::move(answer.chains);
    if (finish != nullptr) finish(out.result);
    warn_if_empty(out);
    return Reply(std::move(out));
  };
  return work;
}

}  // namespace rex::tasks
