#include "prompt/hint.h"

namespace rex::prompt {
namespace {

// The open hint and its budget. [CLS] and [SEP] are counted from the start (P9).
class HintPacker {
 public:
  HintPacker(const PromptLimits& limits, const text::SpecialIds& special, Hints& out)
      : limits_(limits), special_(special), out_(out) {}

  void begin_ask(int32_t ask, std::span<const int32_t> prefix) {
    ask_ = ask;
    prefix_ = prefix;
    prefix_placed_ = false;
  }

  // P11, for one label of the current ask.
  void place(int32_t label, std::span<const int32_t> ids) {
    const int32_t label_length = length_of(ids), prefix_length = length_of(prefix_);
    if (2 + prefix_length + label_length > limits_.hint) {
      out_.skipped.push_back({ask_, label});
      return;
    }
    if (count_ + label_length + (prefix_placed_ ? 0 : prefix_length) > limits_.hint) {
      close();
      prefix_placed_ = false;
    }
    if (!prefix_placed_) append(special_.prefix, prefix_);
    prefix_placed_ = true;
    hint_.types.push_back({ask_, label, static_cast<int32_t>(hint_.ids.size())});
    append(special_.type, ids);
  }

  void close() {
    if (!hint_.types.empty()) {
      hint_.ids.push_back(special_.sep);
      out_.hints.push_back(std::move(hint_));
    }
    hint_ = {};
    hint_.ids.push_back(special_.cls);
    count_ = 2;
  }

  // T20: tokens and the [PREFIX] or [TYPE] before them.
  static int32_t length_of(std::span<const int32_t> ids) {
    return static_cast<int32_t>(ids.size()) + 1;
  }

 private:
  void append(int32_t opener, std::span<const int32_t> ids) {
    hint_.ids.push_back(opener);
    hint_.ids.insert(hint_.ids.end(), ids.begin(), ids.end());
    count_ += length_of(ids);
  }

  const PromptLimits& limits_;
  const text::SpecialIds& special_;
  Hints& out_;
  Hint hint_;
  int32_t count_ = 2;
  int32_t ask_ = 0;
  std::span<const int32_t> prefix_;
  bool prefix_placed_ = false;
};

}  // namespace

Hints build_hints(std::span<const Ask> asks, const PromptLimits& limits,
                  const text::SpecialIds& special) {
  Hints out;
  HintPacker packer(limits, special, out);
  packer.close();
  for (size_t ask = 0; ask < asks.size(); ++ask) {
    const auto index = static_cast<int32_t>(ask);
    if (HintPacker::length_of(asks[ask].prefix_ids) > limits.item) {
      out.skipped.push_back({index, Skipped::kAllLabels});
      continue;
    }
    packer.begin_ask(index, asks[ask].prefix_ids);
    for (size_t label = 0; label < asks[ask].labels.size(); ++label) {
      const std::vector<int32_t>& ids = asks[ask].labels[label].ids;
      if (HintPacker::length_of(ids) > limits.item) {
        out.skipped.push_back({index, static_cast<int32_t>(label)});
      } else {
        packer.place(static_cast<int32_t>(label), ids);
      }
    }
  }
  packer.close();
  return out;
}

}  // namespace rex::prompt
