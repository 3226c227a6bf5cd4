#include "text/vocabulary.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "text/utf8.h"

namespace rex::text {
namespace {

struct SpecialName {
  std::string_view text;
  int32_t SpecialIds::* id;
};

constexpr std::array<SpecialName, 5> kInFile = {{{"[PAD]", &SpecialIds::pad},
                                                 {"[CLS]", &SpecialIds::cls},
                                                 {"[SEP]", &SpecialIds::sep},
                                                 {"[UNK]", &SpecialIds::unk},
                                                 {"[MASK]", &SpecialIds::mask}}};
constexpr std::array<SpecialName, 4> kAdded = {{{"[PREFIX]", &SpecialIds::prefix},
                                                {"[TYPE]", &SpecialIds::type},
                                                {"[CLASSIFY]", &SpecialIds::classify},
                                                {"[MULTICLASSIFY]", &SpecialIds::multi_classify}}};

Error invalid(std::string message, std::string place = "vocab.txt") {
  return {ErrorCode::kVocabularyInvalid, std::move(message), std::move(place)};
}

std::string line_place(size_t index) {
  return "vocab.txt line " + std::to_string(index + 1);
}

Result<std::vector<std::string>> split_lines(std::string_view rest) {
  if (rest.size() > kMaxVocabularyBytes) {
    return fail(invalid(std::to_string(rest.size()) + " bytes, at most " +
                        std::to_string(kMaxVocabularyBytes) + " are accepted"));
  }
  std::vector<std::string> entries;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return fail(invalid("the line is empty", line_place(entries.size())));
    if (const auto chars = decode_utf8(line); !chars) {
      return fail(invalid("at " + chars.error().place + " of the line: " + chars.error().message,
                          line_place(entries.size())));
    }
    if (entries.size() == kMaxVocabularyEntries) {
      return fail(invalid("more than " + std::to_string(kMaxVocabularyEntries) + " entries"));
    }
    entries.emplace_back(line);
  }
  if (entries.empty()) return fail(invalid("the file has no entries"));
  return entries;
}

// Ids in the order of their strings, equal strings in the order of their ids.
std::vector<int32_t> sorted_ids(const std::vector<std::string>& entries) {
  std::vector<int32_t> ids(entries.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::sort(ids.begin(), ids.end(), [&entries](int32_t a, int32_t b) {
    const int order = entries[static_cast<size_t>(a)].compare(entries[static_cast<size_t>(b)]);
    return order != 0 ? order < 0 : a < b;
  });
  return ids;
}

Result<void> refuse_repeated(const std::vector<std::string>& entries) {
  const std::vector<int32_t> ids = sorted_ids(entries);
  for (size_t i = 1; i < ids.size(); ++i) {
    const auto first = static_cast<size_t>(ids[i - 1]);
    const auto second = static_cast<size_t>(ids[i]);
    if (entries[first] != entries[second]) continue;
    return fail(invalid("stands on line " + std::to_string(first + 1) +
                            " already: " + entries[first].substr(0, 100),
                        line_place(second)));
  }
  return {};
}

std::optional<int32_t> find_entry(const std::vector<std::string>& entries, std::string_view text) {
  const auto found = std::find(entries.begin(), entries.end(), text);
  if (found == entries.end()) return std::nullopt;
  return static_cast<int32_t>(found - entries.begin());
}

}  // namespace

Result<Vocabulary> Vocabulary::parse(std::string_view vocab_txt) {
  Vocabulary vocabulary;
  REX_TRY(entries, split_lines(vocab_txt));
  REX_TRY_VOID(refuse_repeated(entries));
  std::string missing;
  for (const SpecialName& name : kInFile) {
    const auto id = find_entry(entries, name.text);
    if (!id) missing += (missing.empty() ? "" : ", ") + std::string(name.text);
    vocabulary.special_.*name.id = id.value_or(0);
  }
  if (!missing.empty()) return fail(invalid("missing special tokens: " + missing));
  for (const SpecialName& name : kAdded) {
    const auto id = find_entry(entries, name.text);
    vocabulary.special_.*name.id = id.value_or(static_cast<int32_t>(entries.size()));
    if (!id) entries.emplace_back(name.text);
  }
  vocabulary.entries_ = std::move(entries);
  return vocabulary;
}

std::array<int32_t, 9> Vocabulary::special_list() const {
  const SpecialIds& s = special_;
  return {s.pad, s.cls, s.sep, s.unk, s.mask, s.prefix, s.type, s.classify, s.multi_classify};
}

}  // namespace rex::text
