#include "schema/schema.h"

#include <algorithm>

namespace rex::schema {
namespace {

Json nodes_to_json(const std::vector<Node>& nodes) {
  Json object = Json::object();
  for (const Node& node : nodes) {
    object[node.label] = node.children.empty() ? Json(nullptr) : nodes_to_json(node.children);
  }
  return object;
}

void collect_leaves(const std::vector<Node>& nodes, Path& path, std::vector<Path>& leaves) {
  for (const Node& node : nodes) {
    path.push_back(node.label);
    if (node.children.empty()) {
      leaves.push_back(path);
    } else {
      collect_leaves(node.children, path, leaves);
    }
    path.pop_back();
  }
}

int32_t depth_of(const std::vector<Node>& nodes) {
  int32_t deepest = 0;
  for (const Node& node : nodes) deepest = std::max(deepest, 1 + depth_of(node.children));
  return deepest;
}

int32_t count_of(const std::vector<Node>& nodes) {
  int32_t count = 0;
  for (const Node& node : nodes) count += 1 + count_of(node.children);
  return count;
}

}  // namespace

Json to_json(const Schema& schema) {
  return nodes_to_json(schema.roots);
}

std::vector<Path> legal_paths(const Schema& schema) {
  if (!schema.legal_paths.empty()) return schema.legal_paths;
  std::vector<Path> leaves;
  Path path;
  collect_leaves(schema.roots, path, leaves);
  return leaves;
}

std::string path_text(const Path& path) {
  std::string text;
  for (const std::string& label : path) {
    if (!text.empty()) text += '/';
    text += label;
  }
  return text;
}

int32_t depth(const Schema& schema) {
  return depth_of(schema.roots);
}

int32_t label_count(const Schema& schema) {
  return count_of(schema.roots);
}

}  // namespace rex::schema
