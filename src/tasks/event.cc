// Events: a trigger and the roles around it. {"events": [{"event_type", "trigger", "arguments",
// "missing_roles"}]}; triggers without arguments are events too (Q5).
#include <algorithm>

#include "tasks/forms.h"

namespace rex::tasks {
namespace {

using pipeline::Chain;
using pipeline::Step;

constexpr std::string_view kSuffix = "(事件触发词)";

bool has_suffix(std::string_view label) {
  return split_label(label).type.find("触发词") != std::string::npos;
}

// Adds the suffix that the model was trained with to every trigger label without it, also in the
// keys of per-label thresholds.
void add_suffixes(schema::Schema& tree, pipeline::QueryOptions& options) {
  for (schema::Node& root : tree.roots) {
    if (has_suffix(root.label)) continue;
    const std::string bare = root.label;
    root.label += kSuffix;
    std::map<std::string, double> renamed;
    for (const auto& [key, value] : options.thresholds) {
      const bool same = key == bare || (key.starts_with(bare) && key[bare.size()] == '/');
      renamed[same ? root.label + key.substr(bare.size()) : key] = value;
    }
    options.thresholds = std::move(renamed);
  }
}

struct Event {
  Step trigger;
  std::vector<Chain> arguments;
};

bool same_trigger(const Step& a, const Step& b) {
  return a.label == b.label && a.start == b.start && a.end == b.end;
}

// Chains by trigger type and place, in order of the trigger.
std::vector<Event> group(const pipeline::Answer& answer) {
  std::vector<Event> events;
  for (const auto* chains : {&answer.chains, &answer.inner}) {
    for (const Chain& chain : *chains) {
      if (chain.empty() || (chains == &answer.inner && chain.size() != 1)) continue;
      auto found = std::find_if(events.begin(), events.end(),
                                [&](const Event& e) { return same_trigger(e.trigger, chain[0]); });
      if (found == events.end()) found = events.insert(found, Event{chain[0], {}});
      if (chain.size() > 1) found->arguments.push_back(chain);
    }
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.trigger.start < b.trigger.start;
  });
  return events;
}

std::string role_of(const Chain& chain) {
  schema::Path path;
  for (size_t i = 1; i < chain.size(); ++i) path.push_back(chain[i].label);
  return schema::path_text(path);
}

Json event_json(const Event& event, const schema::Schema& tree) {
  Json arguments = Json::array(), missing = Json::array();
  std::vector<std::string> filled;
  for (const Chain& chain : event.arguments) {
    Json argument = {{"role", role_of(chain)}};
    argument.update(span_json(chain.back()));
    arguments.push_back(std::move(argument));
    filled.push_back(chain[1].label);
  }
  for (const schema::Node& root : tree.roots) {
    if (root.label != event.trigger.label) continue;
    for (const schema::Node& role : root.children) {
      if (std::find(filled.begin(), filled.end(), role.label) == filled.end())
        missing.push_back(role.label);
    }
  }
  const std::string& label = event.trigger.label;
  return {{"event_type", has_suffix(label) ? split_label(label).name : label},
          {"trigger", span_json(event.trigger)},
          {"arguments", std::move(arguments)},
          {"missing_roles", std::move(missing)}};
}

}  // namespace

Result<Work> start_event(const TaskRequest& given) {
  Work work;
  TaskRequest request = given;
  REX_TRY(text, require_text(request));
  REX_TRY(value, schema_value(request));
  REX_TRY(tree, parse_tree(value, request, work.warnings));
  if (request.options.event_suffix) add_suffixes(tree, request.options.query);
  auto schema = std::make_shared<const schema::Schema>(std::move(tree));
  work.queries.push_back(
      make_query(std::move(text), schema, pipeline::TextKind::kExtraction, request));
  work.read = [request, schema](const std::vector<pipeline::Answer>& answers) -> Result<Reply> {
    TaskAnswer out = begin_answer(request, pipeline::TextKind::kExtraction);
    out.chains = answers.at(0).chains;
    Json events = Json::array();
    for (const Event& event : group(answers[0])) events.push_back(event_json(event, *schema));
    if (events.empty()) warn_if_empty(out);
    out.result = {{"events", std::move(events)}};
    return Reply(std::move(out));
  };
  return work;
}

}  // namespace rex::tasks
