// For the tests of this folder and of those above it: a tokenizer that knows every char of some
// strings, and tokens printed as text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "text/tokenizer.h"
#include "text/utf8.h"

namespace rex::prompt {

// One token for each char that occurs, and their ## forms for ASCII.
inline std::shared_ptr<const text::Tokenizer> tokenizer_of(
    std::initializer_list<std::string> uses) {
  std::set<char32_t> chars = {U':', U',', U'[', U']'};
  for (const std::string& use : uses) {
    const std::u32string decoded = text::decode_utf8(use).value();
    for (const char32_t c : decoded) {
      if (c > U' ') chars.insert(c);
    }
  }
  std::string vocabulary = "[PAD]\n[CLS]\n[SEP]\n[UNK]\n[MASK]\n";
  for (const char32_t c : chars) {
    const std::string entry = text::encode_utf8({&c, 1});
    vocabulary += entry + "\n";
    if (c < 0x80) vocabulary += "##" + entry + "\n";
  }
  auto tokenizer = text::Tokenizer::from_vocabulary(vocabulary);
  EXPECT_TRUE(tokenizer) << tokenizer.error().to_string();
  return *tokenizer;
}

inline std::vector<int32_t> ids_of(const text::Tokenizer& tokenizer, const std::string& text,
                                   text::SpecialMatching specials = text::SpecialMatching::kAll) {
  std::vector<int32_t> ids;
  const std::vector<text::Token> tokens = tokenizer.encode(text, specials).value();
  for (const text::Token& token : tokens) ids.push_back(token.id);
  return ids;
}

// The strings of the tokens one after the other, "[PREFIX]人物:北大[TYPE]校长".
inline std::string shown(const text::Tokenizer& tokenizer, std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) {
    const std::string_view token = tokenizer.token_text(id);
    text += token.starts_with("##") ? token.substr(2) : token;
  }
  return text;
}

}  // namespace rex::prompt
