#include "text/piece_trie.h"

#include <algorithm>

namespace rex::text {
namespace {

// The sorted pieces that share the chars on the way to one node.
struct Group {
  size_t begin, end, depth;
};

}  // namespace

PieceTrie::PieceTrie(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.chars < b.chars; });
  std::vector<Group> groups{{0, pieces.size(), 0}};
  label_.push_back(U'\0');
  for (size_t node = 0; node < groups.size(); ++node) {
    auto [begin, end, depth] = groups[node];
    first_child_.push_back(static_cast<uint32_t>(groups.size()));
    const bool ends_here = begin < end && pieces[begin].chars.size() == depth;
    id_.push_back(ends_here ? pieces[begin].id : kNoPiece);
    if (ends_here) ++begin;
    while (begin < end) {
      const char32_t label = pieces[begin].chars[depth];
      size_t group_end = begin + 1;
      while (group_end < end && pieces[group_end].chars[depth] == label) ++group_end;
      groups.push_back({begin, group_end, depth + 1});
      label_.push_back(label);
      begin = group_end;
    }
  }
  first_child_.push_back(static_cast<uint32_t>(groups.size()));
  if (first_child_[1] > 1) root_child_.resize(label_[first_child_[1] - 1] + size_t{1}, kNoNode);
  for (uint32_t child = 1; child < first_child_[1]; ++child) root_child_[label_[child]] = child;
}

uint32_t PieceTrie::child_of(uint32_t node, char32_t label) const {
  if (node == 0) return label < root_child_.size() ? root_child_[label] : kNoNode;
  const auto begin = label_.begin() + first_child_[node];
  const auto end = label_.begin() + first_child_[node + 1];
  const auto child = std::lower_bound(begin, end, label);
  if (child == end || *child != label) return kNoNode;
  return static_cast<uint32_t>(child - label_.begin());
}

PieceTrie::Match PieceTrie::longest_match(std::u32string_view text) const {
  Match best;
  uint32_t node = 0;
  for (size_t depth = 0; depth < text.size(); ++depth) {
    node = child_of(node, text[depth]);
    if (node == kNoNode) break;
    if (id_[node] != kNoPiece) best = {id_[node], depth + 1};
  }
  return best;
}

}  // namespace rex::text
