#include "prompt/label_tree.h"

#include <algorithm>

#include "core/json.h"

namespace rex::prompt {
namespace {

class Compiler {
 public:
  Compiler(const text::Tokenizer& tokenizer, text::SpecialMatching specials)
      : tokenizer_(tokenizer), specials_(specials) {}

  Result<std::vector<LabelNode>> compile(const std::vector<schema::Node>& nodes) {
    std::vector<LabelNode> compiled;
    compiled.reserve(nodes.size());
    for (const schema::Node& node : nodes) {
      path_.push_back(node.label);
      REX_TRY(tokens, encode(node.label));
      LabelNode made{.label = node.label,
                     .ids = std::move(tokens),
                     .children = {},
                     .path = path_,
                     .order = count_++};
      REX_TRY(children, compile(node.children));
      made.children = std::move(children);
      compiled.push_back(std::move(made));
      path_.pop_back();
    }
    std::sort(compiled.begin(), compiled.end(),
              [](const LabelNode& a, const LabelNode& b) { return a.label < b.label; });
    return compiled;
  }

  [[nodiscard]] int32_t count() const { return count_; }

 private:
  Result<std::vector<int32_t>> encode(const std::string& label) {
    auto tokens = tokenizer_.encode(label, specials_);
    if (!tokens) {
      Error error = std::move(tokens).error();
      error.message = "label: " + error.message + " at " + error.place;
      error.place = pointer_to(path_);
      return fail(std::move(error));
    }
    std::vector<int32_t> ids;
    ids.reserve(tokens->size());
    for (const text::Token& token : *tokens) ids.push_back(token.id);
    return ids;
  }

  const text::Tokenizer& tokenizer_;
  text::SpecialMatching specials_;
  schema::Path path_;
  int32_t count_ = 0;
};

void find_too_long(const std::vector<LabelNode>& nodes, int32_t most, const LabelNode*& first) {
  for (const LabelNode& node : nodes) {
    if (static_cast<int64_t>(node.ids.size()) > most && (!first || node.order < first->order)) {
      first = &node;
    }
    find_too_long(node.children, most, first);
  }
}

}  // namespace

Result<std::shared_ptr<const LabelTree>> compile_labels(const schema::Schema& schema,
                                                        const text::Tokenizer& tokenizer,
                                                        text::SpecialMatching specials) {
  Compiler compiler(tokenizer, specials);
  REX_TRY(roots, compiler.compile(schema.roots));
  auto tree = std::make_shared<LabelTree>();
  tree->roots = std::move(roots);
  tree->count = compiler.count();
  return tree;
}

Result<void> check_labels(const LabelTree& labels, const PromptLimits& limits) {
  const int32_t most = limits.item - 1;
  const LabelNode* too_long = nullptr;
  find_too_long(labels.roots, most, too_long);
  if (!too_long) return {};
  return fail(ErrorCode::kLabelTooLong,
              "the label has " + std::to_string(too_long->ids.size()) + " tokens; at most " +
                  std::to_string(most) + " fit into a prompt of passes of " +
                  std::to_string(limits.pass) + " tokens",
              pointer_to(too_long->path));
}

Result<void> check_labels(const schema::Schema& schema, const text::Tokenizer& tokenizer,
                          const PromptLimits& limits) {
  REX_TRY(labels, compile_labels(schema, tokenizer, text::SpecialMatching::kOff));
  return check_labels(*labels, limits);
}

std::string pointer_to(const schema::Path& path) {
  std::string pointer;
  for (const std::string& label : path) pointer += "/" + pointer_escape(label);
  return pointer;
}

}  // namespace rex::prompt
