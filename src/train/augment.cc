#include "train/augment.h"

#include <algorithm>
#include <set>

#include "text/utf8.h"

namespace rex::train {
namespace {

using eval::Item;
using eval::ItemList;
using pipeline::TextKind;
using schema::Node;

bool is_flat(const Example& e) {
  return std::all_of(e.schema.roots.begin(), e.schema.roots.end(),
                     [](const Node& n) { return n.children.empty(); });
}

// Aspects with opinions below: two levels below one root, whose name tells.
bool asks_aspects(const Example& e) {
  if (e.kind != TextKind::kExtraction || e.schema.roots.size() != 1) return false;
  const Node& root = e.schema.roots[0];
  const bool named =
      root.label.find("属性") != std::string::npos || root.label.find("方面") != std::string::npos;
  return named && !root.children.empty() &&
         std::all_of(root.children.begin(), root.children.end(), [](const Node& n) {
           return n.children.empty() && (n.label.find("情感") != std::string::npos ||
                                         n.label.find("观点") != std::string::npos ||
                                         n.label.find("评价") != std::string::npos);
         });
}

int32_t length_of(const std::string& text) {
  return static_cast<int32_t>(text::decode_utf8(text).value_or(U"").size());
}

void shift(Example& e, int32_t from, int32_t by) {
  for (ItemList& list : e.gold) {
    for (Item& item : list) {
      if (item.start >= from) item.start += by, item.end += by;
    }
  }
}

// Level by level: labels without an answer go by a coin, at least one label stays.
void drop_labels(std::vector<Node>& nodes, const std::vector<const ItemList*>& lists, size_t depth,
                 double rate, Rng& rng) {
  if (nodes.empty()) return;
  std::vector<Node> kept;
  for (Node& node : nodes) {
    std::vector<const ItemList*> below;
    for (const ItemList* list : lists) {
      if (list->size() > depth && (*list)[depth].type == node.label) below.push_back(list);
    }
    if (below.empty() && rng.chance(rate)) continue;
    drop_labels(node.children, below, depth + 1, rate, rng);
    kept.push_back(std::move(node));
  }
  if (kept.empty())
    nodes.resize(1);  // none was moved
  else
    nodes = std::move(kept);
}

bool shares_char(const std::string& a, const std::string& b) {
  const std::u32string x = text::decode_utf8(a).value_or(U""),
                       y = text::decode_utf8(b).value_or(U"");
  return x.find_first_of(y) != std::u32string::npos;
}

// The aspect of one chain is cut out of the text and "#" stands before it; nothing else may touch
// that place.
void make_absent(Example& e, Rng& rng) {
  if (e.gold.empty() || e.text.starts_with('#')) return;
  const ItemList chosen = e.gold[rng.below(e.gold.size())];
  if (chosen.size() < 2) return;
  const Item gone = chosen[0];
  for (const ItemList& list : e.gold) {
    for (size_t i = 0; i < list.size(); ++i) {
      const bool same = i == 0 && list[0].start == gone.start && list[0].end == gone.end;
      if (!same && list[i].start < gone.end && gone.start < list[i].end) return;
    }
  }
  auto text = text::decode_utf8(e.text);
  if (!text || text->size() <= static_cast<size_t>(gone.end - gone.start) + 2) return;
  text->erase(static_cast<size_t>(gone.start), static_cast<size_t>(gone.end - gone.start));
  for (ItemList& list : e.gold) {
    if (!list.empty() && list[0].start == gone.start && list[0].end == gone.end) {
      list[0].span = "#";
      list[0].start = list[0].end = -1;
    }
  }
  shift(e, gone.end, gone.start - gone.end);
  for (ItemList& list : e.gold) {
    for (Item& item : list) item.start += 1, item.end += 1;
    if (list[0].span == "#") list[0].start = 0, list[0].end = 1;
  }
  e.text = "#" + text::encode_utf8(*text);
}

void lengthen(Example& e, const Example& other, Rng& rng) {
  std::set<std::string> common;
  for (const Node& a : e.schema.roots) {
    for (const Node& b : other.schema.roots) {
      if (a.label == b.label) common.insert(a.label);
    }
  }
  if (common.empty() || &e == &other || e.text == other.text) return;
  const auto only_common = [&](std::vector<ItemList>& lists) {
    std::erase_if(lists,
                  [&](const ItemList& l) { return l.empty() || !common.contains(l[0].type); });
  };
  Example front = rng.chance(0.5) ? e : other;
  Example back = front.text == e.text ? other : e;
  std::erase_if(e.schema.roots, [&](const Node& n) { return !common.contains(n.label); });
  only_common(front.gold), only_common(back.gold);
  shift(back, 0, length_of(front.text));
  e.text = front.text + back.text;
  e.gold = std::move(front.gold);
  e.gold.insert(e.gold.end(), back.gold.begin(), back.gold.end());
}

// Other answers, and pieces of text, as parents of labels that they do not have.
void add_wrong_parents(Example& e, Rng& rng) {
  std::vector<const Node*> inner;
  for (const Node& node : e.schema.roots) {
    if (!node.children.empty()) inner.push_back(&node);
  }
  auto text = text::decode_utf8(e.text);
  if (inner.empty() || !text || text->size() < 4) return;
  const auto is_gold = [&](const Item& item) {
    return std::any_of(e.gold.begin(), e.gold.end(), [&](const ItemList& list) {
      return !list.empty() && list[0].type == item.type && list[0].start == item.start &&
             list[0].end == item.end;
    });
  };
  for (uint64_t i = 0, many = 1 + rng.below(2); i < many; ++i) {
    Item item;
    item.type = inner[rng.below(inner.size())]->label;
    if (!e.gold.empty() && rng.chance(0.6)) {
      const ItemList& list = e.gold[rng.below(e.gold.size())];
      const Item& taken = list[rng.below(list.size())];
      item.span = taken.span, item.start = taken.start, item.end = taken.end;
    } else {
      const auto length = static_cast<int32_t>(1 + rng.below(3));
      item.start = static_cast<int32_t>(rng.below(text->size() - static_cast<size_t>(length)));
      item.end = item.start + length;
      item.span = text::encode_utf8(std::u32string_view(*text).substr(
          static_cast<size_t>(item.start), static_cast<size_t>(length)));
    }
    if (!is_gold(item)) e.wrong_parents.push_back(std::move(item));
  }
}

void rename_nodes(std::vector<Node>& nodes, const std::map<std::string, std::string>& to) {
  for (Node& node : nodes) {
    if (const auto found = to.find(node.label); found != to.end()) node.label = found->second;
    rename_nodes(node.children, to);
  }
}

void collect(const std::vector<Node>& nodes, std::set<std::string>& labels) {
  for (const Node& node : nodes) {
    labels.insert(node.label);
    collect(node.children, labels);
  }
}

}  // namespace

Augmenter::Augmenter(const AugmentOptions& options,
                     const std::vector<std::vector<std::string>>& names,
                     std::vector<std::string> foreign_labels)
    : options_(options), foreign_(std::move(foreign_labels)) {
  for (const std::vector<std::string>& group : names) {
    for (const std::string& name : group) names_[name] = group;
  }
}

void Augmenter::rename(Example& e, Rng& rng) const {
  std::set<std::string> labels;
  collect(e.schema.roots, labels);
  std::map<std::string, std::string> to;
  std::set<std::string> taken = labels;
  for (const std::string& label : labels) {
    // A hint in brackets stays, 负责人(人物): the name before it changes.
    const size_t bracket = std::min(label.find('('), label.size());
    const auto found = names_.find(label.substr(0, bracket));
    if (found == names_.end() || !rng.chance(0.6)) continue;
    const std::string name = found->second[rng.below(found->second.size())] + label.substr(bracket);
    if (taken.insert(name).second) to[label] = name;
  }
  if (to.empty()) return;
  rename_nodes(e.schema.roots, to);
  for (ItemList& list : e.gold) {
    for (Item& item : list) {
      if (const auto found = to.find(item.type); found != to.end()) item.type = found->second;
    }
  }
}

Example Augmenter::vary(const Example& example, const Example& other, Rng& rng) const {
  Example e = example;
  const bool extraction = e.kind == TextKind::kExtraction;
  if (extraction && is_flat(e) && is_flat(other) && other.kind == e.kind &&
      rng.chance(options_.lengthen))
    lengthen(e, other, rng);
  if (asks_aspects(e) && rng.chance(options_.absent)) make_absent(e, rng);
  if (rng.chance(options_.drop_label) && (extraction || e.schema.roots.size() > 6)) {
    std::vector<const ItemList*> lists;
    for (const ItemList& list : e.gold) lists.push_back(&list);
    drop_labels(e.schema.roots, lists, 0, rng.uniform(), rng);
  }
  if (extraction && is_flat(e) && !foreign_.empty() && rng.chance(options_.foreign)) {
    std::set<std::string> labels;
    collect(e.schema.roots, labels);
    for (uint64_t i = 0, many = 1 + rng.below(4); i < many; ++i) {
      const std::string& label = foreign_[rng.below(foreign_.size())];
      const bool near = std::any_of(labels.begin(), labels.end(), [&](const std::string& l) {
        return label.size() < 24 && shares_char(l, label);
      });
      if (!near && labels.insert(label).second) e.schema.roots.push_back({label, {}});
    }
  }
  if (rng.chance(options_.rename)) rename(e, rng);
  if (extraction && rng.chance(options_.wrong_parent)) add_wrong_parents(e, rng);
  return e;
}

}  // namespace rex::train
