#include "decode/span_level.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace rex::decode {
namespace {

// Places in `spans`, best first; what `better` does not decide stays in order.
template <class Better>
std::vector<size_t> ranked(const std::vector<FoundSpan>& spans, Better better) {
  std::vector<size_t> order(spans.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (better(spans[a], spans[b])) return true;
    if (better(spans[b], spans[a])) return false;
    return a < b;
  });
  return order;
}

bool first_in_text(const FoundSpan& a, const FoundSpan& b) {
  return std::tie(a.start, a.end) < std::tie(b.start, b.end);
}

bool longer(const FoundSpan& a, const FoundSpan& b) {
  return a.end - a.start > b.end - b.start;
}

// By the policy's first measure, then its second, then the text.
bool wins(Overlap overlap, const FoundSpan& a, const FoundSpan& b) {
  const bool a_longer = longer(a, b), b_longer = longer(b, a);
  const bool a_surer = a.confidence > b.confidence, b_surer = b.confidence > a.confidence;
  const bool by_length = overlap == Overlap::kLongest;
  if (const bool first = by_length ? a_longer : a_surer;
      first || (by_length ? b_longer : b_surer)) {
    return first;
  }
  if (const bool second = by_length ? a_surer : a_longer;
      second || (by_length ? b_surer : b_longer)) {
    return second;
  }
  return first_in_text(a, b);
}

}  // namespace

void SpanLevel::add(const FoundSpan& span) {
  if (span.start >= span.end) return;
  if (seen_.emplace(span.ask, span.label, span.start, span.end).second) spans_.push_back(span);
}

void SpanLevel::clear() {
  spans_.clear();
  seen_.clear();
}

void SpanLevel::reduce(Overlap overlap, int32_t most) {
  if (overlap != Overlap::kAll) drop_overlaps(overlap);
  if (most > 0) drop_weakest(most);
}

void SpanLevel::keep(const std::vector<uint8_t>& kept) {
  size_t count = 0;
  for (size_t i = 0; i < spans_.size(); ++i) {
    if (kept[i] != 0) spans_[count++] = spans_[i];
  }
  spans_.resize(count);
}

// Winners of one prefix and label are disjoint, so the two neighbours in the text decide.
void SpanLevel::drop_overlaps(Overlap overlap) {
  std::map<std::pair<int32_t, int32_t>, std::map<int32_t, int32_t>> winners;  // start → end
  std::vector<uint8_t> kept(spans_.size(), 0);
  const auto order =
      ranked(spans_, [&](const FoundSpan& a, const FoundSpan& b) { return wins(overlap, a, b); });
  for (const size_t i : order) {
    const FoundSpan& span = spans_[i];
    std::map<int32_t, int32_t>& taken = winners[{span.ask, span.label}];
    const auto after = taken.lower_bound(span.start);
    if (after != taken.end() && after->first < span.end) continue;
    if (after != taken.begin() && std::prev(after)->second > span.start) continue;
    taken.emplace(span.start, span.end);
    kept[i] = 1;
  }
  keep(kept);
}

void SpanLevel::drop_weakest(int32_t most) {
  std::map<int32_t, int32_t> count;  // by path
  std::vector<uint8_t> kept(spans_.size(), 0);
  const auto order = ranked(spans_, [](const FoundSpan& a, const FoundSpan& b) {
    if (a.confidence != b.confidence) return a.confidence > b.confidence;
    return first_in_text(a, b);
  });
  for (const size_t i : order) {
    if (count[spans_[i].path]++ < most) kept[i] = 1;
  }
  keep(kept);
}

}  // namespace rex::decode
