#include "prompt/token_words.h"

#include <algorithm>

#include "core/check.h"
#include "engine/batch.h"

namespace rex::prompt {

using engine::TokenWord;

Result<void> TokenWords::assign(std::span<const int32_t> ids, std::span<uint32_t> words) {
  REX_CHECK(ids.size() >= 3 && ids.size() == words.size(), "one word for each token of a pass");
  REX_CHECK(ids.size() <= TokenWord::kMax, "fields of a word");
  REX_CHECK(ids[1] == special_.prefix, "P18: a pass begins with [CLS] [PREFIX]");
  find_parts(ids);
  REX_TRY_VOID(check_groups());
  assign_visibility(words);
  assign_positions(words);
  return {};
}

// P18. A new part is always the last one in role order too, since types join the latest group.
void TokenWords::find_parts(std::span<const int32_t> ids) {
  parts_.clear();
  bool in_text = false;
  for (size_t i = 1; i < ids.size(); ++i) {
    if (ids[i] == special_.prefix) {
      parts_.push_back({parts_.empty() ? 1 : parts_.back().group + 1, 0, i, 0});
      in_text = false;
    } else if (ids[i] == special_.type) {
      parts_.push_back({parts_.back().group, parts_.back().type + 1, i, 0});
      in_text = false;
    } else if (ids[i] == special_.sep) {
      in_text = true;
    }
    if (!in_text) ++parts_.back().count;
  }
}

Result<void> TokenWords::check_groups() const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    const bool last_of_group = i + 1 == parts_.size() || parts_[i + 1].group != parts_[i].group;
    if (last_of_group && parts_[i].type == 0) {
      return fail(ErrorCode::kFieldConflict,
                  "a [PREFIX] inside the text or a label has no [TYPE] after it; the original "
                  "cannot read this (Q10), use the standard behaviour",
                  "behaviour");
    }
  }
  return {};
}

// P22: a group ranges from its [PREFIX] to the end of its last type, whatever lies between.
void TokenWords::assign_visibility(std::span<uint32_t> words) const {
  std::fill(words.begin(), words.end(), 0U);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const bool same_group = i + 1 < parts_.size() && parts_[i + 1].group == part.group;
    const size_t own_end = part.begin + part.count;
    const size_t range_end = same_group ? parts_[i + 1].begin : own_end;
    for (size_t t = part.begin; t < range_end; ++t) {
      words[t] = TokenWord::pack(0, part.group, t < own_end ? part.type : 0);
    }
  }
}

// P19, listed in role order and handed out in token order (P20).
void TokenWords::assign_positions(std::span<uint32_t> words) const {
  size_t index = 1;
  uint32_t prefix_end = 0, largest = 0;
  for (const Part& part : parts_) {
    const uint32_t first = part.type == 0 ? 1 : prefix_end + 1;
    for (uint32_t k = 0; k < part.count; ++k) words[index++] |= TokenWord::pack(first + k, 0, 0);
    const uint32_t last = first + static_cast<uint32_t>(part.count) - 1;
    if (part.type == 0) prefix_end = last;
    largest = std::max(largest, last);
  }
  for (; index < words.size(); ++index) words[index] |= TokenWord::pack(++largest, 0, 0);
}

}  // namespace rex::prompt
