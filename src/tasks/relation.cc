// Relations: subjects, then what is asked of each. {"triples", "tuples",
// "subjects_without_relation", "graph"}; a flat schema can only give entities.
#include <algorithm>

#include "tasks/forms.h"

namespace rex::tasks {
namespace {

using pipeline::Chain;
using pipeline::Step;

// Nodes are words with a label; equal ones are one node.
class Graph {
 public:
  void add_edge(const Step& subject, const TypedLabel& relation, const Step& object) {
    const std::string from = node(subject.label, subject.span);
    const std::string to = node(relation.type.empty() ? relation.name : relation.type, object.span);
    edges_.push_back(
        {{"from", from}, {"to", to}, {"label", relation.name}, {"confidence", object.confidence}});
  }
  [[nodiscard]] Json to_json() const { return {{"nodes", nodes_}, {"edges", edges_}}; }

 private:
  std::string node(const std::string& label, const std::string& text) {
    for (const Json& known : nodes_) {
      if (known["label"] == label && known["text"] == text) return known["id"];
    }
    std::string id("n");
    id += std::to_string(nodes_.size() + 1);
    nodes_.push_back({{"id", id}, {"label", label}, {"text", text}});
    return id;
  }
  Json nodes_ = Json::array();
  Json edges_ = Json::array();
};

Json triple_json(const Chain& chain, const TypedLabel& relation) {
  Json triple = {{"subject", span_json(chain[0], chain[0].label)}, {"relation", relation.name}};
  triple["object_type"] = relation.type.empty() ? Json(nullptr) : Json(relation.type);
  triple["object"] = span_json(chain[1]);
  return triple;
}

Json tuple_json(const Chain& chain) {
  Json tuple = Json::array();
  for (const Step& step : chain) tuple.push_back(span_json(step, step.label));
  return tuple;
}

// First-level answers of which nothing further was found (Q5).
Json lonely_subjects(const pipeline::Answer& answer) {
  Json subjects = Json::array();
  for (const Chain& inner : answer.inner) {
    if (inner.size() != 1) continue;
    const bool used =
        std::any_of(answer.chains.begin(), answer.chains.end(), [&](const Chain& chain) {
          return chain.size() > 1 && chain[0].label == inner[0].label &&
                 chain[0].start == inner[0].start && chain[0].end == inner[0].end;
        });
    if (!used) subjects.push_back(span_json(inner[0], inner[0].label));
  }
  return subjects;
}

Json relation_result(const pipeline::Answer& answer) {
  Json entities = Json::array(), triples = Json::array(), tuples = Json::array();
  Graph graph;
  for (const Chain& chain : answer.chains) {
    if (chain.size() == 1) {
      entities.push_back(span_json(chain[0], chain[0].label));
    } else if (chain.size() == 2) {
      const TypedLabel relation = split_label(chain[1].label);
      triples.push_back(triple_json(chain, relation));
      graph.add_edge(chain[0], relation, chain[1]);
    } else {
      tuples.push_back(tuple_json(chain));
    }
  }
  Json result = {{"triples", std::move(triples)},
                 {"tuples", std::move(tuples)},
                 {"subjects_without_relation", lonely_subjects(answer)},
                 {"graph", graph.to_json()}};
  if (!entities.empty()) result["entities"] = std::move(entities);
  return result;
}

}  // namespace

Result<Work> start_relation(const TaskRequest& request) {
  Work work;
  REX_TRY(text, require_text(request));
  REX_TRY(value, schema_value(request));
  REX_TRY(tree, parse_tree(value, request, work.warnings));
  if (schema::depth(tree) == 1) {
    work.warnings.push_back(
        {"RELATION_SCHEMA_FLAT",
         "a flat schema yields entities only; write relations below their subject, "
         "for example {\"组织机构\": [\"董事长(人物)\"]}",
         "/schema"});
  }
  work.queries.push_back(make_query(std::move(text),
                                    std::make_shared<const schema::Schema>(std::move(tree)),
                                    pipeline::TextKind::kExtraction, request));
  work.read = [request](const std::vector<pipeline::Answer>& answers) -> Result<Reply> {
    TaskAnswer out = begin_answer(request, pipeline::TextKind::kExtraction);
    out.chains = answers.at(0).chains;
    out.result = relation_result(answers[0]);
    warn_if_empty(out);
    return Reply(std::move(out));
  };
  return work;
}

}  // namespace rex::tasks
