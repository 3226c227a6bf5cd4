// Text to WordPiece ids with offsets: the fast BERT tokenizer of the reference, rule by rule
// (specification T1–T19), built from a model folder's vocab.txt and tokenizer_config.json.
//
// Stages, one file each: utf8 (bytes to chars) → normalize (T6–T10) → words (T11–T12) →
// wordpiece (T13–T15). Offsets are half-open, in chars (code points) of the string given.
// Immutable after load(): one tokenizer serves every thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace rex::text {

// One WordPiece. [start, end) in chars of the original string (T16, T17).
struct Token {
  int32_t id = 0;
  int32_t start = 0;
  int32_t end = 0;
  bool operator==(const Token&) const = default;
};

// Ids of the nine added special tokens (T2, T3).
struct SpecialIds {
  int32_t pad = 0, cls = 0, sep = 0, unk = 0, mask = 0;
  int32_t prefix = 0, type = 0, classify = 0, multi_classify = 0;
};

// Whether strings such as "[SEP]" inside the text become special tokens.
enum class SpecialMatching : uint8_t {
  kOff,  // the text is only text (default of the product, Q10)
  kAll,  // all nine strings are live anywhere, as in the reference (T4, T5)
};

class Tokenizer {
 public:
  // Errors: FILE_NOT_FOUND (names the file), VOCABULARY_INVALID (duplicate or missing entries, an
  // unsupported setting in tokenizer_config.json, named).
  static Result<std::shared_ptr<const Tokenizer>> load(const std::filesystem::path& model_dir);

  // The same from the content of vocab.txt, for tests and fuzzing.
  static Result<std::shared_ptr<const Tokenizer>> from_vocabulary(std::string_view vocab_txt);

  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  // Tokens of one string, without [CLS] and [SEP]. Linear in the length of the text.
  // Errors: ENCODING_INVALID naming the first bad byte (T28), TEXT_TOO_LONG from 2 GiB on.
  [[nodiscard]] Result<std::vector<Token>> encode(
      std::string_view utf8, SpecialMatching specials = SpecialMatching::kOff) const;

  // The token's string, for people; "[unknown id]" outside the vocabulary.
  [[nodiscard]] std::string_view token_text(int32_t id) const;

  [[nodiscard]] const SpecialIds& special() const { return special_; }
  // Rows of the embedding matrix that ids may name: entries of vocab.txt plus those of the four
  // added tokens (T3) that it does not hold itself; see vocabulary.h.
  [[nodiscard]] int32_t size() const;

 private:
  struct Impl;
  Tokenizer(std::unique_ptr<const Impl> impl, SpecialIds special);
  std::unique_ptr<const Impl> impl_;
  SpecialIds special_;
};

}  // namespace rex::text
