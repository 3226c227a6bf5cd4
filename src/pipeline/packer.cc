#include "pipeline/packer.h"

#include <utility>

#include "core/check.h"

namespace rex::pipeline {

Packer::Packer(const text::SpecialIds& special, engine::BatchLimits limits, UnseenTokens unseen)
    : special_(special), limits_(limits), unseen_(std::move(unseen)), token_words_(special) {
  REX_CHECK(limits.tokens >= engine::kMaxPassTokens && limits.passes >= 1, "room for one pass");
  ids_.reserve(static_cast<size_t>(limits.tokens));
  words_.reserve(static_cast<size_t>(limits.tokens));
  type_tokens_.reserve(static_cast<size_t>(limits.tokens));
  passes_.reserve(static_cast<size_t>(limits.passes));
}

bool Packer::fits(const prompt::Pass& pass) const {
  return ids_.size() + static_cast<size_t>(pass.token_count()) <=
             static_cast<size_t>(limits_.tokens) &&
         passes_.size() < static_cast<size_t>(limits_.passes);
}

Result<void> Packer::add(const prompt::Pass& pass) {
  REX_CHECK(fits(pass), "a full batch is run first");
  const size_t begin = ids_.size(), count = static_cast<size_t>(pass.token_count());
  pass.append_ids(special_.sep, ids_);
  REX_CHECK(ids_.size() == begin + count, "a pass has the tokens that it says");
  words_.resize(ids_.size());
  if (auto walked =
          token_words_.assign(std::span(ids_).subspan(begin), std::span(words_).subspan(begin));
      !walked) {
    ids_.resize(begin);
    words_.resize(begin);
    return walked;
  }
  const size_t text = begin + static_cast<size_t>(pass.text_begin());
  unseen_.mark(std::span(ids_).subspan(text), std::span(words_).subspan(text));
  passes_.push_back({.token_begin = static_cast<int32_t>(begin),
                     .token_count = pass.token_count(),
                     .text_begin = pass.text_begin(),
                     .type_begin = static_cast<int32_t>(type_tokens_.size()),
                     .type_count = static_cast<int32_t>(pass.hint->types.size()),
                     .logit_floor = pass.logit_floor,
                     .class_cells = pass.class_cells});
  for (const prompt::HintType& type : pass.hint->types) type_tokens_.push_back(type.token);
  return {};
}

void Packer::clear() {
  ids_.clear();
  words_.clear();
  passes_.clear();
  type_tokens_.clear();
}

}  // namespace rex::pipeline
