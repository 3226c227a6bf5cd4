// Every label that fits the whole text. {"labels": [{"label", "confidence"}], "scores",
// "fallback"}.
#include "tasks/class_reading.h"

namespace rex::tasks {

Result<Work> start_multi_label(const TaskRequest& request) {
  Work work;
  REX_TRY(text, require_text(request));
  REX_TRY(schema, schema_value(request));
  REX_TRY(labels, labels_of_request(request, schema, work.warnings));
  const auto kind = pipeline::TextKind::kMultiLabel;
  work.queries.push_back(make_query(std::move(text), labels.schema, kind, request));
  work.read = [labels = std::move(labels),
               request](const std::vector<pipeline::Answer>& answers) -> Result<Reply> {
    const pipeline::Answer& answer = answers.at(0);
    TaskAnswer out = begin_answer(request, pipeline::TextKind::kMultiLabel);
    out.chains = answer.chains;
    Json chosen = Json::array();
    for (const pipeline::Chain& chain : answer.chains) {
      chosen.push_back(
          {{"label", labels.shown_for(chain.back().label)}, {"confidence", chain_mean(chain)}});
    }
    out.result = {{"labels", std::move(chosen)},
                  {"scores", scores_json(scores_of(answer, labels), request.options.top_k)},
                  {"fallback", answer.fallback}};
    warn_of_weak_choice(answer, "label", out);
    return Reply(std::move(out));
  };
  return work;
}

}  // namespace rex::tasks
