// The strings of vocab.txt and the four added ones, by id (T1–T3). Immutable.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "text/tokenizer.h"

namespace rex::text {

inline constexpr size_t kMaxVocabularyBytes = 4u << 20;  // the release's file has 53 KB
inline constexpr size_t kMaxVocabularyEntries = 1'000'000;

class Vocabulary {
 public:
  // A line is an entry, its number from 0 the id; LF or CRLF ends a line. The five strings of T2
  // may stand on any line. Those of T3 get the ids after the last entry, in the order of T3;
  // one that the file already holds keeps its line's id, as in the reference's library, so a file
  // that was saved with them loads to the same ids.
  // Errors: VOCABULARY_INVALID, place "vocab.txt line N" (from 1): no entries, an empty line, a
  // repeated entry, bytes that are not UTF-8, a missing special token, too large a file.
  static Result<Vocabulary> parse(std::string_view vocab_txt);

  // By id, the added ones included.
  [[nodiscard]] const std::vector<std::string>& entries() const { return entries_; }
  [[nodiscard]] const SpecialIds& special() const { return special_; }
  // Ids of the nine added special tokens (T4).
  [[nodiscard]] std::array<int32_t, 9> special_list() const;

 private:
  std::vector<std::string> entries_;
  SpecialIds special_;
};

}  // namespace rex::text
