// The final choice among label paths (D28), and how each behaviour comes to its candidates.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "decode/chain.h"

namespace rex::decode {

// The chain with the greatest mean confidence, the first on a tie; none of none (D28).
std::vector<Chain> choose_one(std::vector<Chain> chains);

// The chains whose mean confidence exceeds their threshold, in order. When there is none: nothing
// if `allow_empty`, otherwise choose_one() (D28, Q20).
std::vector<Chain> choose_many(std::vector<Chain> chains,
                               const std::function<double(const Chain&)>& threshold_of,
                               bool allow_empty);

// The chain with the greatest sum of confidences, the first on a tie; none of none (D23).
std::vector<Chain> greatest_sum(std::vector<Chain> chains);

// The original's book-keeping for class texts, one for each hint (D17): label path → its hits, in
// the order in which the paths came.
class PathHits {
 public:
  // `confidences` has one figure for each label of the path.
  void add(const std::vector<std::string>& path, const std::vector<double>& confidences);

  // Single label (D23): a lone path with the confidences of its first hit, else the path whose
  // per-position averages have the greatest sum. No chain when there was no hit.
  [[nodiscard]] std::vector<Chain> best() const;
  // Multi label (D24): every path with the confidences of its first hit.
  [[nodiscard]] std::vector<Chain> all() const;

 private:
  struct Entry {
    std::vector<std::string> path;
    std::vector<std::vector<double>> hits;
  };
  std::vector<Entry> entries_;
};

}  // namespace rex::decode
