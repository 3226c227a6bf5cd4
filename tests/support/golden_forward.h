// Forward passes of the reference implementation (shared golden), one pass each, without padding.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rex {

// One stored matrix of a pass, [rows, cols].
struct GoldenMatrix {
  bool is_double = false;  // f64: good to 1e-10 relative; f32: to 1e-6
  size_t cols = 0;
  std::vector<double> values;
  [[nodiscard]] double at(size_t row, size_t col) const { return values[row * cols + col]; }
};

struct GoldenForward {
  std::string name;  // "tiny-a.short_ner"
  std::vector<int32_t> ids;
  std::vector<int32_t> positions;
  int32_t text_begin = 0;
  std::vector<uint8_t> mask;                     // [n, n], 1: the row may attend to the column
  std::vector<uint32_t> words;                   // TokenWord, built from ids and positions by P18
  double logit_rms = 0.0;                        // the spread that tolerances are relative to
  std::map<std::string, GoldenMatrix> matrices;  // hidden0…, q, k; the f64 one where both exist
  std::map<size_t, std::vector<double>> logits;  // rows that are stored, f64 where available
  bool logits_double = false;                    // all rows of `logits` are f64
};

// Every case of a model ("tiny-a", "tiny-b") whose pass is stored without padding.
std::vector<GoldenForward> load_golden_forwards(const std::string& model);

}  // namespace rex
