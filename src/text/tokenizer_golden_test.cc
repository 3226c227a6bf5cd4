// The reference's own vectors (../shared/golden/tokenizer): single texts, and windows of a hint
// beside a text.
#include <gtest/gtest.h>

#include <array>

#include "support/test_data.h"
#include "text/tokenizer.h"
#include "text/windows.h"

namespace rex::text {
namespace {

// Tokens of a pass with the specials that its builder adds; those have offsets (0, 0) (T16).
class Sequence {
 public:
  explicit Sequence(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void add_special(int32_t id) { tokens_.push_back({id, 0, 0}); }
  void add(const Token& token) { tokens_.push_back(token); }

  [[nodiscard]] std::vector<int32_t> ids() const {
    std::vector<int32_t> ids;
    ids.reserve(tokens_.size());
    for (const Token& token : tokens_) ids.push_back(token.id);
    return ids;
  }
  [[nodiscard]] std::vector<std::array<int32_t, 2>> offsets() const {
    std::vector<std::array<int32_t, 2>> offsets;
    offsets.reserve(tokens_.size());
    for (const Token& token : tokens_) offsets.push_back({token.start, token.end});
    return offsets;
  }
  [[nodiscard]] std::vector<std::string> strings() const {
    std::vector<std::string> strings;
    strings.reserve(tokens_.size());
    for (const Token& token : tokens_) strings.emplace_back(tokenizer_.token_text(token.id));
    return strings;
  }
  [[nodiscard]] int32_t size() const { return static_cast<int32_t>(tokens_.size()); }

 private:
  const Tokenizer& tokenizer_;
  std::vector<Token> tokens_;
};

template <class T>
T as(const nlohmann::ordered_json& value) {
  return value.get<T>();
}

class TokenizerGolden : public testing::Test {
 protected:
  void SetUp() override {
    REX_NEED_SHARED_GOLDEN();
    auto tokenizer = Tokenizer::load(shared_golden_dir() / "tiny-a");
    ASSERT_TRUE(tokenizer) << tokenizer.error().to_string();
    tokenizer_ = *tokenizer;
  }

  [[nodiscard]] std::vector<Token> encode(const std::string& text) const {
    auto tokens = tokenizer_->encode(text, SpecialMatching::kAll);
    EXPECT_TRUE(tokens) << text;
    return *tokens;
  }

  std::shared_ptr<const Tokenizer> tokenizer_;
};

// T1–T20
TEST_F(TokenizerGolden, SingleTextsAreEqual) {
  const auto rows = read_jsonl(shared_golden_dir() / "tokenizer" / "single.jsonl");
  EXPECT_EQ(rows.size(), 318u);
  for (const auto& row : rows) {
    const auto text = as<std::string>(row["text"]);
    Sequence sequence(*tokenizer_);
    sequence.add_special(tokenizer_->special().cls);
    for (const Token& token : encode(text)) sequence.add(token);
    sequence.add_special(tokenizer_->special().sep);
    EXPECT_EQ(sequence.ids(), as<std::vector<int32_t>>(row["ids"])) << text;
    EXPECT_EQ(sequence.strings(), as<std::vector<std::string>>(row["tokens"])) << text;
    EXPECT_EQ(sequence.offsets(), (as<std::vector<std::array<int32_t, 2>>>(row["offsets"])))
        << text;
  }
}

// T16, T21–T27: [CLS] hint [SEP] text [SEP]; type id 1 begins behind the first [SEP].
TEST_F(TokenizerGolden, WindowsOfPairsAreEqual) {
  const SpecialIds& special = tokenizer_->special();
  size_t windows_seen = 0;
  for (const auto& row : read_jsonl(shared_golden_dir() / "tokenizer" / "pairs.jsonl")) {
    Sequence prompt(*tokenizer_);
    prompt.add_special(special.cls);
    for (const Token& token : encode(as<std::string>(row["a"]))) prompt.add(token);
    prompt.add_special(special.sep);
    const std::vector<Token> text = encode(as<std::string>(row["b"]));
    const auto windows = split_windows(static_cast<int32_t>(text.size()),
                                       as<int32_t>(row["max_length"]) - prompt.size() - 1,
                                       as<int32_t>(row["stride"]));
    ASSERT_TRUE(windows) << windows.error().to_string();
    ASSERT_EQ(windows->size(), row["windows"].size());
    for (size_t k = 0; k < windows->size(); ++k) {
      const auto& expected = row["windows"][k];
      Sequence sequence = prompt;
      const auto [begin, end] = (*windows)[k];
      for (int32_t i = begin; i < end; ++i) sequence.add(text[static_cast<size_t>(i)]);
      sequence.add_special(special.sep);
      EXPECT_EQ(sequence.ids(), as<std::vector<int32_t>>(expected["ids"]));
      EXPECT_EQ(sequence.offsets(), (as<std::vector<std::array<int32_t, 2>>>(expected["offsets"])));
      EXPECT_EQ(prompt.size(), as<int32_t>(expected["type_ids_first_one"]));
      ++windows_seen;
    }
  }
  EXPECT_GT(windows_seen, 160u);
}

// The specification's hint and text with their ids.
TEST_F(TokenizerGolden, ReferenceHint) {
  Sequence sequence(*tokenizer_);
  for (const Token& token : encode("[PREFIX][TYPE]人物[TYPE]地理位置[TYPE]组织机构")) {
    sequence.add(token);
  }
  EXPECT_EQ(sequence.ids(), (std::vector<int32_t>{12800, 12801, 348, 4224, 12801, 1410, 4392, 439,
                                                  5473, 12801, 5339, 5342, 3120, 3157}));
}

}  // namespace
}  // namespace rex::text
