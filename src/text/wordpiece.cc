#include "text/wordpiece.h"

#include "core/check.h"
#include "text/utf8.h"

namespace rex::text {
namespace {

constexpr std::string_view kContinuation = "##";

// A word that begins with # is that one char (T11), so an entry that begins with ## can only be a
// continuation. Entries that no word can contain are left out.
std::vector<PieceTrie::Piece> pieces_of(const Vocabulary& vocabulary, bool continuations) {
  std::vector<PieceTrie::Piece> pieces;
  for (size_t id = 0; id < vocabulary.entries().size(); ++id) {
    std::string_view entry = vocabulary.entries()[id];
    if (entry.starts_with(kContinuation) != continuations) continue;
    if (continuations) entry.remove_prefix(kContinuation.size());
    auto chars = decode_utf8(entry);
    REX_CHECK(chars.has_value(), "a vocabulary holds UTF-8 only");
    if (chars->empty() || chars->size() > kMaxWordChars) continue;
    pieces.push_back({*std::move(chars), static_cast<int32_t>(id)});
  }
  return pieces;
}

}  // namespace

WordPiece::WordPiece(const Vocabulary& vocabulary)
    : beginnings_(pieces_of(vocabulary, false)),
      continuations_(pieces_of(vocabulary, true)),
      unk_(vocabulary.special().unk) {}

void WordPiece::append_tokens(std::u32string_view word, const int32_t* origin,
                              std::vector<Token>& tokens) const {
  const size_t tokens_before = tokens.size();
  size_t at = 0;
  while (at < word.size() && word.size() <= kMaxWordChars) {
    const PieceTrie& trie = at == 0 ? beginnings_ : continuations_;
    const PieceTrie::Match match = trie.longest_match(word.substr(at));
    if (match.length == 0) break;
    tokens.push_back({match.id, origin[at], origin[at + match.length - 1] + 1});
    at += match.length;
  }
  if (at < word.size()) {
    tokens.resize(tokens_before);
    tokens.push_back({unk_, origin[0], origin[word.size() - 1] + 1});
  }
}

}  // namespace rex::text
