#include "prompt/prefix_ids.h"

namespace rex::prompt {
namespace {

Result<std::vector<int32_t>> ids_of(const text::Tokenizer& tokenizer, std::string_view mark) {
  REX_TRY(tokens, tokenizer.encode(mark));
  std::vector<int32_t> ids;
  for (const text::Token& token : tokens) ids.push_back(token.id);
  return ids;
}

void append(std::vector<int32_t>& ids, std::span<const int32_t> more) {
  ids.insert(ids.end(), more.begin(), more.end());
}

}  // namespace

Result<PrefixIds> PrefixIds::make(const text::Tokenizer& tokenizer) {
  PrefixIds made;
  REX_TRY(colon, ids_of(tokenizer, ":"));
  REX_TRY(comma, ids_of(tokenizer, ","));
  made.colon_ = std::move(colon);
  made.comma_ = std::move(comma);
  return made;
}

std::vector<int32_t> PrefixIds::extend(std::span<const int32_t> parent,
                                       std::span<const int32_t> label,
                                       std::span<const int32_t> span) const {
  std::vector<int32_t> ids(parent.begin(), parent.end());
  if (!parent.empty()) append(ids, comma_);
  append(ids, label);
  append(ids, colon_);
  append(ids, span);
  return ids;
}

}  // namespace rex::prompt
