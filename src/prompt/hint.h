// From one level of the schema to hints (P8–P13): prefixes and labels packed into as few prompts
// as the token budget allows, in the order given.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "prompt/label_tree.h"
#include "prompt/limits.h"
#include "text/tokenizer.h"

namespace rex::prompt {

// One entry of a level map: a prefix and the labels asked below it.
struct Ask {
  std::span<const int32_t> prefix_ids;  // PrefixIds; empty at the root
  std::span<const LabelNode> labels;    // asked in this order
};

// A [TYPE] token and what it stands for.
struct HintType {
  int32_t ask = 0;    // index into the level's asks
  int32_t label = 0;  // index into that ask's labels
  int32_t token = 0;  // index of the [TYPE] token in Hint::ids, and so in every pass (P12)
  bool operator==(const HintType&) const = default;
};

struct Hint {
  std::vector<int32_t> ids;     // [CLS] [PREFIX] … [TYPE] … [SEP]: a pass up to its text (T21)
  std::vector<HintType> types;  // in the order placed
};

// What no prompt could hold (P10, Q8): a label, or all labels of an ask.
struct Skipped {
  static constexpr int32_t kAllLabels = -1;
  int32_t ask = 0;
  int32_t label = kAllLabels;
  bool operator==(const Skipped&) const = default;
};

struct Hints {
  std::vector<Hint> hints;
  std::vector<Skipped> skipped;
};

// Beyond the original's limits: with a pass below 512 tokens a prefix and a label may each be
// allowed and still not fit together; such a label is skipped for this prefix.
Hints build_hints(std::span<const Ask> asks, const PromptLimits& limits,
                  const text::SpecialIds& special);

}  // namespace rex::prompt
