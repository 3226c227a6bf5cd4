// Arbitrary bytes through UTF-8 decoding and the tokenizer. Bytes that are not UTF-8 must be
// refused; everything else must come back from a round trip, and its tokens must lie in the text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace {

using rex::text::SpecialMatching;
using rex::text::Token;
using rex::text::Tokenizer;

constexpr std::string_view kVocabulary =
    "[PAD]\n[CLS]\n[SEP]\n[UNK]\n[MASK]\n[\n]\n#\n,\n。\n0\n##0\n1\n##1\n你\n好\n豈\n"
    "a\n##a\nab\n##abc\nb\n##b\nsep\ncls\n##ep\ns\n\u1100\n##\u1161\n##\u11A8\nか\n";

const Tokenizer& tokenizer() {
  static const auto kTokenizer = *Tokenizer::from_vocabulary(kVocabulary);
  return *kTokenizer;
}

void check_tokens(std::string_view text, SpecialMatching specials, int32_t size) {
  const auto tokens = tokenizer().encode(text, specials);
  REX_CHECK(tokens.has_value(), "valid UTF-8 is always encoded");
  const auto& special = tokenizer().special();
  Token before;
  for (const Token& token : *tokens) {
    REX_CHECK(token.id >= 0 && token.id < tokenizer().size(), "ids name rows of the embedding");
    REX_CHECK(0 <= token.start && token.start < token.end && token.end <= size, "inside the text");
    REX_CHECK(before.start <= token.start && before.end <= token.end, "offsets do not go back");
    if (specials == SpecialMatching::kOff) {
      REX_CHECK(token.id == special.unk || (token.id > special.mask && token.id < special.prefix),
                "a text is only text");
    }
    before = token;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto chars = rex::text::decode_utf8(text);
  if (!chars) {
    REX_CHECK(!tokenizer().encode(text).has_value(), "one decoder, one verdict");
    return 0;
  }
  REX_CHECK(rex::text::encode_utf8(*chars) == text, "decoding loses nothing");
  const auto length = static_cast<int32_t>(chars->size());
  check_tokens(text, SpecialMatching::kOff, length);
  check_tokens(text, SpecialMatching::kAll, length);
  return 0;
}
