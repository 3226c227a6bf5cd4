#include "train/rows.h"

#include <algorithm>

#include "prompt/hint.h"
#include "prompt/pass.h"

namespace rex::train {

using eval::Item;
using eval::ItemList;
using pipeline::TextKind;
using prompt::LabelNode;
using text::Token;

// A gold prefix of one level and the gold lists that continue it.
struct RowBuilder::Prefix {
  std::vector<int32_t> ids;
  const std::vector<LabelNode>* labels = nullptr;
  std::vector<const ItemList*> lists;
  size_t depth = 0;
};

namespace {

// The tokens of chars [start, end) as indexes into the whole text's tokens: the first that reaches
// beyond start, the last that begins before end (F13). Empty (last < first) when no token does.
std::pair<int32_t, int32_t> tokens_of(const std::vector<Token>& tokens, int32_t start,
                                      int32_t end) {
  const auto first = std::partition_point(tokens.begin(), tokens.end(),
                                          [start](const Token& t) { return t.end <= start; });
  const auto last = std::partition_point(tokens.begin(), tokens.end(),
                                         [end](const Token& t) { return t.start < end; });
  return {static_cast<int32_t>(first - tokens.begin()),
          static_cast<int32_t>(last - tokens.begin()) - 1};
}

const LabelNode* child(const std::vector<LabelNode>& nodes, const std::string& label) {
  for (const LabelNode& node : nodes) {
    if (node.label == label) return &node;
  }
  return nullptr;
}

Error unknown_path(const ItemList& list, size_t depth) {
  std::string path;
  for (size_t i = 0; i <= depth; ++i) path += (i > 0 ? "/" : "") + list[i].type;
  return {ErrorCode::kSampleInvalid, "the label \"" + path + "\" is not in the schema",
          "/info_list"};
}

bool same_step(const Item& a, const Item& b, bool by_label) {
  return a.type == b.type && (by_label || (a.start == b.start && a.end == b.end));
}

}  // namespace

RowBuilder::RowBuilder(std::shared_ptr<const text::Tokenizer> tokenizer,
                       prompt::PromptLimits limits, int32_t stride, prompt::PrefixIds prefix_ids)
    : tokenizer_(std::move(tokenizer)),
      limits_(limits),
      stride_(stride),
      prefix_ids_(std::move(prefix_ids)),
      token_words_(tokenizer_->special()) {}

Result<RowBuilder> RowBuilder::make(std::shared_ptr<const text::Tokenizer> tokenizer,
                                    prompt::PromptLimits limits, int32_t stride) {
  REX_TRY(prefix_ids, prompt::PrefixIds::make(*tokenizer));
  return RowBuilder(std::move(tokenizer), limits, stride, std::move(prefix_ids));
}

Result<void> RowBuilder::append(const Example& example, std::vector<Row>& rows) {
  REX_TRY(tokens, tokenizer_->encode(example.text));
  REX_TRY(tree, prompt::compile_labels(example.schema, *tokenizer_, text::SpecialMatching::kOff));
  REX_TRY_VOID(prompt::check_labels(*tree, limits_));
  const bool classes = example.kind != TextKind::kExtraction;
  const int32_t marker = example.kind == TextKind::kSingleLabel
                             ? tokenizer_->special().classify
                             : tokenizer_->special().multi_classify;
  std::vector<Prefix> level(1);
  level[0].labels = &tree->roots;
  for (const ItemList& list : example.gold) {
    if (!list.empty()) level[0].lists.push_back(&list);
  }
  bool is_first = true;
  while (!level.empty()) {
    REX_TRY_VOID(append_level(level, example, tokens, rows));
    std::vector<Prefix> next;
    for (const Prefix& prefix : level) {
      const size_t begin = next.size(), depth = prefix.depth;
      std::vector<const Item*> steps;  // of next[begin…]
      for (const ItemList* list : prefix.lists) {
        const Item& step = (*list)[depth];
        const LabelNode* node = child(*prefix.labels, step.type);
        if (node == nullptr) return fail(unknown_path(*list, depth));
        if (node->is_leaf() && list->size() > depth + 1)
          return fail(unknown_path(*list, depth + 1));
        if (node->is_leaf()) continue;
        size_t at = begin;
        while (at < next.size() && !same_step(*steps[at - begin], step, classes)) ++at;
        if (at == next.size()) {
          std::vector<int32_t> span_ids;
          if (classes) {
            span_ids.push_back(marker);
          } else {
            REX_TRY(span, tokenizer_->encode(step.span));
            for (const Token& token : span) span_ids.push_back(token.id);
          }
          next.push_back({prefix_ids_.extend(prefix.ids, node->ids, span_ids),
                          &node->children,
                          {},
                          depth + 1});
          steps.push_back(&step);
        }
        if (list->size() > depth + 1) next[at].lists.push_back(list);
      }
    }
    for (const Item& wrong : example.wrong_parents) {
      const LabelNode* node = is_first ? child(tree->roots, wrong.type) : nullptr;
      if (node == nullptr || node->is_leaf()) continue;
      REX_TRY(span, tokenizer_->encode(wrong.span));
      std::vector<int32_t> span_ids;
      for (const Token& token : span) span_ids.push_back(token.id);
      next.push_back({prefix_ids_.extend({}, node->ids, span_ids), &node->children, {}, 1});
    }
    is_first = false;
    level = std::move(next);
  }
  return {};
}

Result<void> RowBuilder::append_level(const std::vector<Prefix>& level, const Example& example,
                                      const std::vector<Token>& tokens, std::vector<Row>& rows) {
  std::vector<prompt::Ask> asks;
  for (const Prefix& prefix : level) asks.push_back({prefix.ids, *prefix.labels});
  const prompt::Hints hints = prompt::build_hints(asks, limits_, tokenizer_->special());
  const bool classes = example.kind != TextKind::kExtraction;
  const int32_t marker = example.kind == TextKind::kSingleLabel
                             ? tokenizer_->special().classify
                             : tokenizer_->special().multi_classify;
  std::vector<prompt::Pass> passes;
  for (const prompt::Hint& hint : hints.hints) {
    passes.clear();
    if (classes) {
      prompt::append_class_passes(hint, tokens, limits_, marker, passes);
    } else {
      prompt::append_span_passes(hint, tokens, limits_, stride_, passes);
    }
    for (const prompt::Pass& pass : passes) {
      Row row;
      pass.append_ids(tokenizer_->special().sep, row.ids);
      row.words.resize(row.ids.size());
      REX_TRY_VOID(token_words_.assign(row.ids, row.words));
      row.text_begin = pass.text_begin();
      for (const prompt::HintType& type : hint.types) {
        const Prefix& prefix = level[static_cast<size_t>(type.ask)];
        const LabelNode& node = (*prefix.labels)[static_cast<size_t>(type.label)];
        for (const ItemList* list : prefix.lists) {
          const Item& step = (*list)[prefix.depth];
          if (step.type != node.label) continue;
          int32_t head = pass.text_begin(), tail = head;  // the marker
          if (!classes) {
            const auto [first, last] = tokens_of(tokens, step.start, step.end);
            if (last < first || first < pass.window.begin || last >= pass.window.end) continue;
            head = pass.window_begin() + first - pass.window.begin;
            tail = pass.window_begin() + last - pass.window.begin;
          }
          for (const Cell cell :
               {Cell{head, tail}, Cell{head, type.token}, Cell{type.token, tail}}) {
            if (std::find(row.positives.begin(), row.positives.end(), cell) == row.positives.end())
              row.positives.push_back(cell);
          }
        }
      }
      rows.push_back(std::move(row));
    }
  }
  return {};
}

Result<Example> read_example(const Json& line) {
  REX_TRY(sample, eval::read_sample(line, {}));
  return Example{std::move(sample.query.text),
                 sample.query.kind,
                 *sample.query.schema,
                 std::move(sample.gold),
                 {}};
}

}  // namespace rex::train
