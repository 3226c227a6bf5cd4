#include "pipeline/unseen_tokens.h"

#include "engine/batch.h"

namespace rex::pipeline {
namespace {

// The marks of GB/T 15834 (Chinese punctuation) as they stand in running text.
constexpr const char* kMarks = "，。、；：？！“”‘’（）［］〔〕【】《》〈〉「」『』—…·～";

}  // namespace

UnseenTokens UnseenTokens::punctuation(const text::Tokenizer& tokenizer, int32_t from_tokens) {
  UnseenTokens unseen;
  unseen.from_tokens_ = from_tokens;
  unseen.by_id_.resize(static_cast<size_t>(tokenizer.size()));
  const auto tokens = tokenizer.encode(kMarks);
  if (!tokens) return {};
  for (const text::Token& token : *tokens) {
    if (token.id != tokenizer.special().unk) unseen.by_id_[static_cast<size_t>(token.id)] = true;
  }
  return unseen;
}

void UnseenTokens::mark(std::span<const int32_t> ids, std::span<uint32_t> words) const {
  if (by_id_.empty() || static_cast<int32_t>(ids.size()) - 1 < from_tokens_) return;
  for (size_t t = 0; t < ids.size(); ++t) {
    if (by_id_[static_cast<size_t>(ids[t])]) words[t] |= engine::TokenWord::kUnseen;
  }
}

}  // namespace rex::pipeline
