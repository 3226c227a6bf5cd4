// For this folder's tests: a small vocabulary, and tokens printed as "text start-end".
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace rex::text {

// The pieces of the release's vocabulary that the reference vectors of the specification need.
inline constexpr std::string_view kSmallVocabulary =
    "[PAD]\n[CLS]\n[SEP]\n[UNK]\n[MASK]\n[unused1]\n"
    "!\n#\n'\n(\n)\n,\n.\n:\n;\n[\n]\n—\n。\n，\n"
    "0\n##0\n1\n##1\n2\n##2\n3\n##3\n4\n##4\n5\n##5\n9\n##9\n"
    "人\n你\n好\n张\n三\n物\n国\n豈\n更\n"
    "a\n##a\nab\n##b\nb\nx\ny\n##x\ndon\nt\n##t\nhe\n##llo\nwor\n##ld\nis\n##an\n##ul\nna\n##ive\n"
    "##k\n##g\niphon\n##e\n##p\n##ro\nun\n##us\n##ed\ncafe\nsep\n##sep\nHELLO\n"
    "classify\ne\nk\n";

inline std::shared_ptr<const Tokenizer> small_tokenizer() {
  auto tokenizer = Tokenizer::from_vocabulary(kSmallVocabulary);
  EXPECT_TRUE(tokenizer) << tokenizer.error().to_string();
  return *tokenizer;
}

// "is 0-2 ##t 2-3"; an error as its code's name and place.
inline std::string tokens_of(const Tokenizer& tokenizer, std::string_view text,
                             SpecialMatching specials = SpecialMatching::kOff) {
  const auto tokens = tokenizer.encode(text, specials);
  if (!tokens) return std::string(row_of(tokens.error().code).name) + " " + tokens.error().place;
  std::string shown;
  for (const Token& token : *tokens) {
    if (!shown.empty()) shown += ' ';
    shown += std::string(tokenizer.token_text(token.id)) + " " + std::to_string(token.start) + "-" +
             std::to_string(token.end);
  }
  return shown;
}

}  // namespace rex::text
