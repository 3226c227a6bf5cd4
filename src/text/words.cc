#include "text/words.h"

#include "text/unicode_tables.h"

namespace rex::text {
namespace {

bool is_punctuation(char32_t c) {
  return rule_of(c).is_punctuation();
}

}  // namespace

WordRange next_word(std::u32string_view normalized, size_t from) {
  size_t begin = from;
  while (begin < normalized.size() && normalized[begin] == U' ') ++begin;
  if (begin == normalized.size()) return {begin, begin};
  size_t end = begin + 1;
  if (is_punctuation(normalized[begin])) return {begin, end};
  while (end < normalized.size() && normalized[end] != U' ' && !is_punctuation(normalized[end])) {
    ++end;
  }
  return {begin, end};
}

}  // namespace rex::text
