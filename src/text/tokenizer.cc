#include "text/tokenizer.h"

#include <limits>

#include "core/mapped_file.h"
#include "text/normalize.h"
#include "text/special_strings.h"
#include "text/tokenizer_config.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "text/wordpiece.h"
#include "text/words.h"

namespace rex::text {
namespace {

constexpr size_t kMaxConfigBytes = 1u << 20;
constexpr auto kMaxTextBytes = static_cast<size_t>(std::numeric_limits<int32_t>::max());

}  // namespace

struct Tokenizer::Impl {
  explicit Impl(Vocabulary parsed)
      : vocabulary(std::move(parsed)), wordpiece(vocabulary), specials(vocabulary) {}

  // Tokens of text[begin, end), which holds no live special token.
  void append_piece(std::u32string_view text, size_t begin, size_t end, NormalizedText& scratch,
                    std::vector<Token>& tokens) const {
    scratch.clear();
    normalize(text.substr(begin, end - begin), static_cast<int32_t>(begin), scratch);
    const std::u32string_view chars = scratch.chars;
    for (WordRange word = next_word(chars, 0); word.begin != word.end;
         word = next_word(chars, word.end)) {
      wordpiece.append_tokens(chars.substr(word.begin, word.end - word.begin),
                              scratch.origin.data() + word.begin, tokens);
    }
  }

  Vocabulary vocabulary;
  WordPiece wordpiece;
  SpecialStrings specials;
};

Tokenizer::Tokenizer(std::unique_ptr<const Impl> impl, SpecialIds special)
    : impl_(std::move(impl)), special_(special) {}

Tokenizer::~Tokenizer() = default;

Result<std::shared_ptr<const Tokenizer>> Tokenizer::load(const std::filesystem::path& model_dir) {
  const auto config_file = model_dir / "tokenizer_config.json";
  const std::string folder = model_dir.string() + "/";
  REX_TRY(vocab_txt, read_text_file(model_dir / "vocab.txt", kMaxVocabularyBytes));
  REX_TRY(config, read_text_file(config_file, kMaxConfigBytes));
  if (auto checked = check_tokenizer_config(config); !checked) {
    return fail(std::move(checked).error().in(folder));
  }
  auto tokenizer = from_vocabulary(vocab_txt);
  if (!tokenizer) return fail(std::move(tokenizer).error().in(folder));
  return tokenizer;
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::from_vocabulary(std::string_view vocab_txt) {
  REX_TRY(vocabulary, Vocabulary::parse(vocab_txt));
  auto impl = std::make_unique<const Impl>(std::move(vocabulary));
  const SpecialIds special = impl->vocabulary.special();
  return std::shared_ptr<const Tokenizer>(new Tokenizer(std::move(impl), special));
}

Result<std::vector<Token>> Tokenizer::encode(std::string_view utf8,
                                             SpecialMatching specials) const {
  if (utf8.size() > kMaxTextBytes) {
    return fail(ErrorCode::kTextTooLong, std::to_string(utf8.size()) + " bytes, at most " +
                                             std::to_string(kMaxTextBytes) + " are accepted");
  }
  REX_TRY(text, decode_utf8(utf8));
  std::vector<Token> tokens;
  tokens.reserve(text.size());
  NormalizedText scratch;
  size_t begin = 0;
  if (specials == SpecialMatching::kAll) {
    while (const auto match = impl_->specials.find(text, begin)) {
      impl_->append_piece(text, begin, match->begin, scratch, tokens);
      tokens.push_back(
          {match->id, static_cast<int32_t>(match->begin), static_cast<int32_t>(match->end)});
      begin = match->end;
    }
  }
  impl_->append_piece(text, begin, text.size(), scratch, tokens);
  return tokens;
}

std::string_view Tokenizer::token_text(int32_t id) const {
  if (id < 0 || id >= size()) return "[unknown id]";
  return impl_->vocabulary.entries()[static_cast<size_t>(id)];
}

int32_t Tokenizer::size() const {
  return static_cast<int32_t>(impl_->vocabulary.entries().size());
}

}  // namespace rex::text
