// Position ids and the isolation mask of a pass, found by walking its ids (P18–P25): one
// engine::TokenWord a token, never an n×n matrix.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "text/tokenizer.h"

namespace rex::prompt {

// Keeps its scratch between passes. One thread.
class TokenWords {
 public:
  explicit TokenWords(const text::SpecialIds& special) : special_(special) {}

  // `words` has the length of `ids`. Special ids inside the text or a label are walked like the
  // prompt's own, with the wrong positions that the original gives them (P20, Q10).
  // Errors: FIELD_CONFLICT when a [PREFIX] has no [TYPE] after it, where the original breaks off.
  Result<void> assign(std::span<const int32_t> ids, std::span<uint32_t> words);

 private:
  // A prefix part or a type: consecutive tokens.
  struct Part {
    uint32_t group = 0;  // from 1
    uint32_t type = 0;   // from 1; 0: the prefix part
    size_t begin = 0;
    size_t count = 0;
  };

  void find_parts(std::span<const int32_t> ids);
  Result<void> check_groups() const;
  void assign_visibility(std::span<uint32_t> words) const;
  void assign_positions(std::span<uint32_t> words) const;

  text::SpecialIds special_;
  std::vector<Part> parts_;  // role order: group 1, its types, group 2, …
};

}  // namespace rex::prompt
