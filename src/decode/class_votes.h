// How the labels of a class text fared, over all windows (Q14, Q15). Standard behaviour only.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/links.h"

namespace rex::decode {

// A label's place is LabelNode::order: a path is asked once (Q18).
class ClassVotes {
 public:
  explicit ClassVotes(int32_t labels) : votes_(static_cast<size_t>(labels)) {}

  // One window's opinion of a label. Linked: all three logits exceed the floor (D3).
  void add(int32_t label, const engine::ClassCells& cells, float floor);
  // Forgets the votes on a label, to be asked again in another prompt (D26).
  void reset(int32_t label) { votes_[static_cast<size_t>(label)] = {}; }

  [[nodiscard]] bool asked(int32_t label) const { return vote(label).windows > 0; }
  // In some window.
  [[nodiscard]] bool linked(int32_t label) const { return vote(label).linked; }
  // Mean over the windows of the mean of the three cells (D15), 4 decimals.
  [[nodiscard]] double confidence(int32_t label) const;

 private:
  struct Vote {
    double sum = 0.0;
    int32_t windows = 0;
    bool linked = false;
  };
  [[nodiscard]] const Vote& vote(int32_t label) const { return votes_[static_cast<size_t>(label)]; }

  std::vector<Vote> votes_;
};

}  // namespace rex::decode
