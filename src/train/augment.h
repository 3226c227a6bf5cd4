// Variations of a labelled sample, so that a model learns what labels say and not which labels a
// data set has: names changed, labels left out, questions of other texts, longer texts, absent
// aspects, wrong parents.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/rng.h"
#include "train/rows.h"

namespace rex::train {

// How often each variation is made, per sample.
struct AugmentOptions {
  double rename = 0.3;      // labels take another name of the same meaning
  double drop_label = 0.3;  // of the samples; each label that has no answer goes by a coin
  double foreign = 0.2;     // labels of other data sets that have no answer here
  double lengthen = 0.12;   // a flat extraction text is joined with another of the same labels
  double absent = 0.2;      // aspect texts: an aspect is cut out, its opinion belongs to "#" (D13)
  double wrong_parent = 0.3;  // levels below the first are also asked of spans that are no parents
};

class Augmenter {
 public:
  // names: lines "name, name, …" of equal meaning.
  Augmenter(const AugmentOptions& options, const std::vector<std::vector<std::string>>& names,
            std::vector<std::string> foreign_labels);

  // `other`: another sample of the same set.
  [[nodiscard]] Example vary(const Example& example, const Example& other, Rng& rng) const;

 private:
  void rename(Example& example, Rng& rng) const;
  AugmentOptions options_;
  std::map<std::string, std::vector<std::string>> names_;
  std::vector<std::string> foreign_;
};

}  // namespace rex::train
