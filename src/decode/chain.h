// The pieces of an answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rex::decode {

// One link of a chain. Class steps of the standard behaviour have no span: start = end = -1 and
// span empty; the reference behaviour gives them the marker with [0, 10] or [0, 15] (D25).
struct Step {
  std::string label;
  std::string span;
  int32_t start = -1;  // chars of the query's text, half-open
  int32_t end = -1;
  double confidence = 0.0;  // mean of the three cells (D15 and its analogue for spans), 4 decimals

  bool operator==(const Step&) const = default;
};
using Chain = std::vector<Step>;

// The order of a standard answer: step by step by start, end, then the label's bytes; a chain
// before its continuations. It follows the text and does not depend on the schema's key order.
inline bool text_order(const Chain& a, const Chain& b) {
  const auto key_less = [](const Step& x, const Step& y) {
    if (x.start != y.start) return x.start < y.start;
    if (x.end != y.end) return x.end < y.end;
    return x.label < y.label;
  };
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (key_less(a[i], b[i])) return true;
    if (key_less(b[i], a[i])) return false;
  }
  return a.size() < b.size();
}

// Mean confidence of the steps, the figure that class texts are decided by (D28).
inline double mean_confidence(const Chain& chain) {
  double sum = 0.0;
  for (const Step& step : chain) sum += step.confidence;
  return sum / static_cast<double>(chain.size());
}

}  // namespace rex::decode
