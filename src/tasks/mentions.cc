#include "tasks/mentions.h"

#include <algorithm>
#include <array>

#include "text/utf8.h"

namespace rex::tasks {
namespace {

void add(Mention mention, std::vector<Mention>& out) {
  if (std::find(out.begin(), out.end(), mention) == out.end()) out.push_back(mention);
}

Result<void> add_occurrences(const std::string& word, std::u32string_view text,
                             const std::string& place, std::vector<Mention>& out) {
  REX_TRY(chars, text::decode_utf8(word));
  const size_t first = chars.empty() ? std::u32string_view::npos : text.find(chars);
  if (first == std::u32string_view::npos) {
    return fail(ErrorCode::kOptionRange, "\"" + word + "\" does not occur in the text", place);
  }
  for (size_t at = first; at != std::u32string_view::npos;
       at = text.find(chars, at + chars.size())) {
    add({static_cast<int32_t>(at), static_cast<int32_t>(at + chars.size())}, out);
  }
  return {};
}

Result<void> add_range(const Json& value, std::u32string_view text, const std::string& place,
                       std::vector<Mention>& out) {
  if (!value.contains("end") || !value["start"].is_number_integer() ||
      !value["end"].is_number_integer()) {
    return fail(ErrorCode::kOptionType, "expected whole numbers start and end", place);
  }
  const auto start = value["start"].get<int64_t>(), end = value["end"].get<int64_t>();
  if (start < 0 || start >= end || end > static_cast<int64_t>(text.size())) {
    return fail(ErrorCode::kOptionRange, "start and end lie outside the text", place);
  }
  add({static_cast<int32_t>(start), static_cast<int32_t>(end)}, out);
  return {};
}

Result<void> add_mention(const Json& value, std::u32string_view text, const std::string& place,
                         std::vector<Mention>& out) {
  if (value.is_string()) return add_occurrences(value.get<std::string>(), text, place, out);
  if (value.is_object() && value.contains("start")) return add_range(value, text, place, out);
  if (value.is_object() && value.contains("text") && value["text"].is_string()) {
    return add_occurrences(value["text"].get<std::string>(), text, place + "/text", out);
  }
  return fail(ErrorCode::kOptionType, "expected a string, {\"text\"} or {\"start\", \"end\"}",
              place);
}

constexpr std::array<std::u32string_view, 9> kPronouns = {  // longer ones first
    U"他们", U"她们", U"它们", U"自己", U"对方", U"他", U"她", U"它", U"其"};
constexpr std::array<std::u32string_view, 16> kNoPronouns = {
    U"其他", U"其它", U"其中", U"其实", U"其余",   U"其次", U"尤其",   U"与其",
    U"极其", U"吉他", U"他人", U"他乡", U"土耳其", U"维他", U"马耳他", U"何其"};

bool inside_other_word(std::u32string_view text, size_t at, size_t size) {
  return std::any_of(kNoPronouns.begin(), kNoPronouns.end(), [&](std::u32string_view word) {
    const size_t from = at + size > word.size() ? at + size - word.size() : 0;
    for (size_t start = from; start <= at; ++start) {
      if (text.substr(start, word.size()) == word) return true;
    }
    return false;
  });
}

}  // namespace

Result<std::vector<Mention>> read_mentions(const Json& value, std::u32string_view text,
                                           const std::string& place) {
  std::vector<Mention> mentions;
  if (!value.is_array()) {
    REX_TRY_VOID(add_mention(value, text, place, mentions));
    return mentions;
  }
  for (size_t i = 0; i < value.size(); ++i) {
    REX_TRY_VOID(add_mention(value[i], text, place + "/" + std::to_string(i), mentions));
  }
  return mentions;
}

std::vector<Mention> find_pronouns(std::u32string_view text) {
  std::vector<Mention> found;
  for (size_t at = 0; at < text.size();) {
    size_t size = 0;
    for (const std::u32string_view pronoun : kPronouns) {
      if (size == 0 && text.substr(at, pronoun.size()) == pronoun) size = pronoun.size();
    }
    if (size > 0 && !inside_other_word(text, at, size)) {
      found.push_back({static_cast<int32_t>(at), static_cast<int32_t>(at + size)});
    }
    at += std::max<size_t>(size, 1);
  }
  return found;
}

int32_t distance(const Mention& a, const Mention& b) {
  return std::max({0, b.start - a.end, a.start - b.end});
}

bool overlaps(const Mention& a, const Mention& b) {
  return a.start < b.end && b.start < a.end;
}

}  // namespace rex::tasks
