// Paths of a label tree for the whole text. {"paths": [{"path", "confidence", "levels"}]};
// a path's confidence is the mean of its levels, which is what the choice goes by (D28).
#include <algorithm>

#include "tasks/class_reading.h"

namespace rex::tasks {
namespace {

Result<bool> read_flag(const TaskRequest& request, const char* name) {
  const auto field = request.fields.find(name);
  if (field == request.fields.end()) return false;
  if (!field->is_boolean()) {
    return fail(ErrorCode::kOptionType, "expected true or false", std::string("/") + name);
  }
  return field->get<bool>();
}

// "家电>厨房电器>电饭煲", with > or ＞, into nested objects.
void add_path(std::string_view path, Json& tree) {
  size_t end = path.size(), width = 0;
  for (const std::string_view mark : {">", "＞"}) {
    if (const size_t at = path.find(mark); at < end) end = at, width = mark.size();
  }
  std::string_view label = path.substr(0, end);
  while (label.starts_with(' ')) label.remove_prefix(1);
  while (label.ends_with(' ')) label.remove_suffix(1);
  Json& below = tree[std::string(label)];
  if (width == 0) return;
  if (below.is_null()) below = Json::object();
  add_path(path.substr(end + width), below);
}

bool is_path(const Json& item) {
  if (!item.is_string()) return false;
  const std::string& text = item.get_ref<const std::string&>();
  return text.find('>') != std::string::npos || text.find("＞") != std::string::npos;
}

// ["一级", ["二级", …]]: a list belongs below the label before it.
Result<Json> nest_list(const Json& list, const std::string& place) {
  Json tree = Json::object();
  std::string last;
  for (size_t i = 0; i < list.size(); ++i) {
    const Json& item = list[i];
    std::string here = place;
    here += '/';
    here += std::to_string(i);
    if (item.is_string()) {
      last = item.get<std::string>();
      if (!tree.contains(last)) tree[last] = nullptr;
    } else if (item.is_array() && i > 0 && list[i - 1].is_string()) {
      REX_TRY(below, nest_list(item, here));
      tree[last] = std::move(below);
    } else {
      return fail(ErrorCode::kSchemaBadValue,
                  "expected a label, found " + std::string(json_kind(item)), here);
    }
  }
  return tree;
}

bool has_list_item(const Json& value) {
  return value.is_array() &&
         std::any_of(value.begin(), value.end(), [](const Json& v) { return v.is_array(); });
}

// The forms that only this task knows, as a plain tree; any other is left as it is.
Result<Json> plain_tree(const Json& schema) {
  if (is_path(schema) ||
      (schema.is_array() && std::any_of(schema.begin(), schema.end(), is_path))) {
    Json tree = Json::object();
    const Json paths = schema.is_array() ? schema : Json::array({schema});
    for (size_t i = 0; i < paths.size(); ++i) {
      if (!paths[i].is_string()) {
        return fail(ErrorCode::kSchemaBadValue,
                    "expected a path, found " + std::string(json_kind(paths[i])),
                    "/schema/" + std::to_string(i));
      }
      add_path(paths[i].get_ref<const std::string&>(), tree);
    }
    return tree;
  }
  if (has_list_item(schema)) return nest_list(schema, "/schema");
  if (schema.is_object() && schema.size() == 1 && has_list_item(*schema.begin())) {
    return nest_list(*schema.begin(), "/schema/" + pointer_escape(schema.begin().key()));
  }
  return schema;
}

Json path_json(const pipeline::Chain& chain) {
  Json path = Json::array(), levels = Json::array();
  for (const pipeline::Step& step : chain) {
    path.push_back(step.label);
    levels.push_back({{"label", step.label}, {"confidence", step.confidence}});
  }
  return {
      {"path", std::move(path)}, {"confidence", chain_mean(chain)}, {"levels", std::move(levels)}};
}

Json path_scores(const pipeline::Answer& answer, int32_t top_k) {
  std::vector<pipeline::LabelScore> scores = answer.scores;
  std::stable_sort(scores.begin(), scores.end(),
                   [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
  if (top_k > 0 && scores.size() > static_cast<size_t>(top_k))
    scores.resize(static_cast<size_t>(top_k));
  Json list = Json::array();
  for (const auto& score : scores)
    list.push_back({{"path", score.path}, {"confidence", score.confidence}});
  return list;
}

}  // namespace

Result<Work> start_hierarchical(const TaskRequest& given) {
  Work work;
  TaskRequest request = given;
  REX_TRY(text, require_text(request));
  REX_TRY(multi, read_flag(request, "multi"));
  REX_TRY(stop_early, read_flag(request, "stop_early"));
  if (stop_early) request.options.query.partial_paths = true;
  REX_TRY(value, schema_value(request));
  REX_TRY(plain, plain_tree(value));
  REX_TRY(tree, parse_tree(plain, request, work.warnings));
  const auto kind = multi ? pipeline::TextKind::kMultiLabel : pipeline::TextKind::kSingleLabel;
  work.queries.push_back(make_query(
      std::move(text), std::make_shared<const schema::Schema>(std::move(tree)), kind, request));
  work.read = [request, kind](const std::vector<pipeline::Answer>& answers) -> Result<Reply> {
    const pipeline::Answer& answer = answers.at(0);
    TaskAnswer out = begin_answer(request, kind);
    out.chains = answer.chains;
    Json paths = Json::array();
    for (const pipeline::Chain& chain : answer.chains) paths.push_back(path_json(chain));
    out.result = {{"paths", std::move(paths)},
                  {"scores", path_scores(answer, request.options.top_k)},
                  {"fallback", answer.fallback}};
    warn_of_weak_choice(answer, "path", out);
    return Reply(std::move(out));
  };
  return work;
}

}  // namespace rex::tasks
