// Named entities: every span of every label. {"entities": […], "by_label": {label: [texts]}}.
#include "tasks/forms.h"

namespace rex::tasks {
namespace {

Json entity_json(const pipeline::Chain& chain) {
  Json entity = span_json(chain.back(), chain.back().label);
  if (chain.size() > 1) {
    Json parents = Json::array();
    for (size_t i = 0; i + 1 < chain.size(); ++i)
      parents.push_back(span_json(chain[i], chain[i].label));
    entity["parents"] = std::move(parents);
  }
  return entity;
}

schema::Path labels_of(const pipeline::Chain& chain) {
  schema::Path path;
  for (const pipeline::Step& step : chain) path.push_back(step.label);
  return path;
}

}  // namespace

Result<Work> start_ner(const TaskRequest& request) {
  Work work;
  REX_TRY(text, require_text(request));
  REX_TRY(value, schema_value(request));
  REX_TRY(tree, parse_tree(value, request, work.warnings));
  auto schema = std::make_shared<const schema::Schema>(std::move(tree));
  work.queries.push_back(
      make_query(std::move(text), schema, pipeline::TextKind::kExtraction, request));
  work.read = [schema, request](const std::vector<pipeline::Answer>& answers) -> Result<Reply> {
    TaskAnswer out = begin_answer(request, pipeline::TextKind::kExtraction);
    out.chains = answers.at(0).chains;
    Json entities = Json::array();
    Json by_label = Json::object();
    for (const schema::Path& path : schema::legal_paths(*schema)) {
      by_label[schema::path_text(path)] = Json::array();
    }
    for (const pipeline::Chain& chain : out.chains) {
      entities.push_back(entity_json(chain));
      by_label[schema::path_text(labels_of(chain))].push_back(chain.back().span);
    }
    out.result = {{"entities", std::move(entities)}, {"by_label", std::move(by_label)}};
    warn_if_empty(out);
    return Reply(std::move(out));
  };
  return work;
}

}  // namespace rex::tasks
