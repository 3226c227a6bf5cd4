// The spans that one level found, before they become chains: duplicates of overlapping windows
// merged, overlaps and counts limited as asked. Standard behaviour only.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "decode/overlap.h"

namespace rex::decode {

struct FoundSpan {
  int32_t ask = 0;    // prefix of this level
  int32_t label = 0;  // of that ask
  int32_t path = 0;   // LabelNode::order; one number for each label path
  int32_t start = 0;  // chars
  int32_t end = 0;
  double confidence = 0.0;
};

class SpanLevel {
 public:
  // Spans come in the order of D9. An empty or reversed range is dropped (Q7); a range that this
  // prefix and label already have keeps its first confidence (Q6).
  void add(const FoundSpan& span);

  // At most `most` spans of each path remain, best first (then in the order of the text); 0 keeps
  // all. The order of what remains does not change.
  void reduce(Overlap overlap, int32_t most);

  [[nodiscard]] std::span<const FoundSpan> spans() const { return spans_; }
  [[nodiscard]] size_t size() const { return spans_.size(); }
  void clear();

 private:
  void keep(const std::vector<uint8_t>& kept);
  void drop_overlaps(Overlap overlap);
  void drop_weakest(int32_t most);

  std::vector<FoundSpan> spans_;
  std::set<std::tuple<int32_t, int32_t, int32_t, int32_t>> seen_;
};

}  // namespace rex::decode
