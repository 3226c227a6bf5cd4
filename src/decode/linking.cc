#include "decode/linking.h"

namespace rex::decode {

void Linker::TypesOfToken::clear() {
  for (std::vector<TypeLink>& list : lists_) list.clear();
}

void Linker::TypesOfToken::add(int32_t token, TypeLink link) {
  const auto index = static_cast<size_t>(token);
  if (index >= lists_.size()) lists_.resize(index + 1);
  lists_[index].push_back(link);
}

std::span<const Linker::TypeLink> Linker::TypesOfToken::of(int32_t token) const {
  const auto index = static_cast<size_t>(token);
  if (index >= lists_.size()) return {};
  return lists_[index];
}

Result<void> Linker::link(const engine::PassLinks& links, std::span<const float> floors,
                          size_t most, std::vector<Hit>& hits) {
  heads_.clear();
  tails_.clear();
  const auto passes = [&](int32_t type, float logit) {
    return logit > floors[static_cast<size_t>(type)];
  };
  for (const engine::Link& link : links.heads) {
    if (passes(link.col, link.logit)) heads_.add(link.row, {link.col, link.logit});
  }
  for (const engine::Link& link : links.tails) {
    if (passes(link.row, link.logit)) tails_.add(link.col, {link.row, link.logit});
  }
  for (const engine::Link& span : links.spans) {
    const auto heads = heads_.of(span.row), tails = tails_.of(span.col);
    for (size_t i = 0, k = 0; i < heads.size() && k < tails.size();) {
      if (heads[i].type != tails[k].type) {
        ++(heads[i].type < tails[k].type ? i : k);
        continue;
      }
      if (passes(heads[i].type, span.logit)) {
        if (hits.size() >= most) {
          return fail(ErrorCode::kWorkTooLarge,
                      "more than " + std::to_string(most) +
                          " spans passed the threshold; raise the threshold");
        }
        hits.push_back(
            {span.row, span.col, heads[i].type, span.logit, heads[i].logit, tails[k].logit});
      }
      ++i, ++k;
    }
  }
  return {};
}

}  // namespace rex::decode
