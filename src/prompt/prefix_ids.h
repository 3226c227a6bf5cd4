// Prefix strings as ids (P7): `label: span` for each step, joined by commas. Built from parts that
// are tokenised once; a colon and a comma are words of their own (T11), so the parts are
// independent of each other (Q44).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "text/tokenizer.h"

namespace rex::prompt {

// Immutable.
class PrefixIds {
 public:
  static Result<PrefixIds> make(const text::Tokenizer& tokenizer);

  // The prefix of one more step. `parent` is empty at the root.
  [[nodiscard]] std::vector<int32_t> extend(std::span<const int32_t> parent,
                                            std::span<const int32_t> label,
                                            std::span<const int32_t> span) const;

 private:
  std::vector<int32_t> colon_, comma_;
};

}  // namespace rex::prompt
