#include "pipeline/options_check.h"

#include <set>

#include "prompt/limits.h"

namespace rex::pipeline {
namespace {

Result<void> check_probability(double value, const std::string& name) {
  if (value >= 0.0 && value <= 1.0) return {};
  return fail(ErrorCode::kOptionRange, std::to_string(value) + " is not within 0…1", name);
}

Result<void> check_at_least(int32_t value, int32_t least, const std::string& name) {
  if (value >= least) return {};
  return fail(ErrorCode::kOptionRange, std::to_string(value) + " is below " + std::to_string(least),
              name);
}

void collect_names(const std::vector<schema::Node>& nodes, schema::Path& path,
                   std::set<std::string>& names) {
  for (const schema::Node& node : nodes) {
    path.push_back(node.label);
    names.insert(node.label);
    names.insert(schema::path_text(path));
    collect_names(node.children, path, names);
    path.pop_back();
  }
}

}  // namespace

Result<void> check_options(const QueryOptions& options) {
  REX_TRY_VOID(check_probability(options.threshold, "threshold"));
  REX_TRY_VOID(check_probability(options.multi_label_threshold, "multi_label_threshold"));
  for (const auto& [name, threshold] : options.thresholds) {
    REX_TRY_VOID(check_probability(threshold, "thresholds/" + name));
  }
  REX_TRY_VOID(check_at_least(options.max_span_num, 0, "max_span_num"));
  REX_TRY_VOID(check_at_least(options.stride, 0, "stride"));
  REX_TRY_VOID(check_at_least(options.max_passes, 1, "max_passes"));
  REX_TRY_VOID(check_at_least(options.max_prefixes, 1, "max_prefixes"));
  if (options.max_length < prompt::kMinPassTokens || options.max_length > prompt::kMaxPassTokens) {
    return fail(ErrorCode::kOptionRange,
                std::to_string(options.max_length) + " is not within " +
                    std::to_string(prompt::kMinPassTokens) + "…" +
                    std::to_string(prompt::kMaxPassTokens),
                "max_length");
  }
  return {};
}

std::vector<Warning> unused_thresholds(const QueryOptions& options, const schema::Schema& schema) {
  if (options.thresholds.empty()) return {};
  std::set<std::string> names;
  schema::Path path;
  collect_names(schema.roots, path, names);
  std::vector<Warning> warnings;
  for (const auto& [name, threshold] : options.thresholds) {
    if (names.contains(name)) continue;
    warnings.push_back({"OPTION_NO_EFFECT", "the schema has no label or path \"" + name + "\"",
                        "thresholds/" + name});
  }
  return warnings;
}

}  // namespace rex::pipeline
